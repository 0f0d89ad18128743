import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { Fault } from '@postern/core'
import type { CommandContext } from './context.ts'
import { readPassword } from './read-password.ts'
import { refusePasswordArgument } from './refuse-password-argument.ts'

const noOptions = { isFromStdin: false, fromEnvironment: null }

function contextOf(stdin: CommandContext['stdin']): CommandContext & { readonly noted: string[] } {
  const noted: string[] = []
  return {
    environment: {},
    stdin,
    print: () => assert.fail('a prompt is no answer'),
    note: (text) => noted.push(text),
    isTerminal: false,
    isJson: false,
    now: () => new Date(),
    noted,
  }
}

function terminal(typed: string): CommandContext['stdin'] & { readonly modes: boolean[] } {
  const modes: boolean[] = []
  const stream = new PassThrough()
  stream.write(typed)
  return Object.assign(stream, { isTTY: true, modes, setRawMode: (isRaw: boolean) => modes.push(isRaw) })
}

test('a typed password is not shown, and the terminal gets its echo back', async () => {
  const stdin = terminal('sek\u007fcret\r')
  const context = contextOf(stdin)
  assert.equal(await readPassword(context, 'Password', noOptions), 'secret')
  assert.deepEqual(stdin.modes, [true, false])
  assert.equal(context.noted.join(''), 'Password: \n')
})

test('Ctrl-C at the prompt changes nothing', async () => {
  const stdin = terminal('se\u0003')
  await assert.rejects(readPassword(contextOf(stdin), 'Password', noOptions), Fault)
  assert.deepEqual(stdin.modes, [true, false])
})

test('a piped password loses only its line end', async () => {
  const stdin = PassThrough.from([Buffer.from(' p w '), Buffer.from('\n')])
  const options = { isFromStdin: true, fromEnvironment: 'other' }
  assert.equal(await readPassword(contextOf(stdin), 'Password', options), ' p w ')
})

test('without a terminal it is said where a password may come from', async () => {
  await assert.rejects(
    readPassword(contextOf(PassThrough.from([])), 'Password', noOptions),
    (error) => error instanceof Fault && /--password-stdin.*POSTERN_IMAP_PASSWORD/.test(error.public),
  )
})

test('a password among the arguments is refused without being repeated', () => {
  for (const args of [
    ['--password', 'hunter2'],
    ['--password=hunter2'],
    ['-password', 'x'],
    ['--PASS=hunter2'],
  ]) {
    assert.throws(
      () => refusePasswordArgument(['inbox', 'connect', 'imap', ...args]),
      (error) =>
        error instanceof Fault && !error.public.includes('hunter2') && /process list/.test(error.public),
    )
  }
  refusePasswordArgument(['inbox', 'connect', 'imap', '--password-stdin'])
})
