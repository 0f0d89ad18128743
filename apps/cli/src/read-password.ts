import { readFile } from 'node:fs/promises'
import { Fault } from '@postern/core'
import type { CommandContext } from './context.ts'

const longestBytes = 4_096

/**
 * A password from the environment, from standard input (`--password-stdin`), or typed without echo.
 * There is no argument for it: other users see arguments in the process list, and shells remember them.
 * @throws missing_argument where there is nobody to ask; invalid_arguments for an empty or endless one.
 */
export async function readPassword(
  context: CommandContext,
  question: string,
  options: { readonly isFromStdin: boolean; readonly fromEnvironment: string | null },
): Promise<string> {
  const password = await choosePassword(context, question, options)
  if (password === '') {
    throw new Fault('invalid_arguments', { public: 'The password is empty. Nothing was changed.' })
  }
  return password
}

/** A password from a file, without its last line end. @throws invalid_arguments. */
export async function readPasswordFile(path: string): Promise<string> {
  try {
    const password = (await readFile(path, 'utf8')).replace(/\r?\n$/, '')
    if (password === '' || password.length > longestBytes) throw new TypeError('no password in it')
    return password
  } catch (error) {
    throw new Fault('invalid_arguments', {
      public: 'The file of the password cannot be read, or holds none. Nothing was changed.',
      details: { argument: 'smtp_password_file' },
      cause: error,
    })
  }
}

async function choosePassword(
  context: CommandContext,
  question: string,
  options: { readonly isFromStdin: boolean; readonly fromEnvironment: string | null },
): Promise<string> {
  if (options.isFromStdin) return readAll(context)
  if (options.fromEnvironment !== null) return options.fromEnvironment
  if (context.stdin.isTTY === true) return promptHidden(context, question)
  throw new Fault('missing_argument', {
    public:
      'There is no terminal to ask for the password. Pipe it in with --password-stdin, ' +
      'or set POSTERN_IMAP_PASSWORD. Nothing was changed.',
    details: { argument: 'password' },
  })
}

/** All of standard input without its last line end. */
async function readAll({ stdin }: CommandContext): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    const octets = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk as Uint8Array)
    bytes += octets.length
    if (bytes > longestBytes) {
      throw new Fault('invalid_arguments', {
        public: `Standard input holds more than ${longestBytes} bytes, which is no password. Nothing was changed.`,
      })
    }
    chunks.push(octets)
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}

async function promptHidden(context: CommandContext, question: string): Promise<string> {
  const { stdin } = context
  context.note(`${question}: `)
  // Raw mode turns the terminal's echo off, and Ctrl-C into a character that is ours to obey.
  stdin.setRawMode?.(true)
  try {
    let typed = ''
    // Not destroyed at the end of the loop: a closed terminal could not be put back into its usual mode.
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      for (const character of String(chunk)) {
        if (character === '\r' || character === '\n' || character === '\u0004') return typed
        if (character === '\u0003') throw interruptedFault()
        if (character === '\u007f' || character === '\b') typed = Array.from(typed).slice(0, -1).join('')
        else if (character >= ' ' && typed.length < longestBytes) typed += character
      }
    }
    return typed
  } finally {
    stdin.setRawMode?.(false)
    stdin.destroy()
    context.note('\n')
  }
}

function interruptedFault(): Fault {
  return new Fault('invalid_arguments', { public: 'Interrupted. Nothing was changed.' })
}
