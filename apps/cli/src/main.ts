#!/usr/bin/env node
import { CommanderError } from 'commander'
import type { CommandContext } from './context.ts'
import { buildProgram } from './program.ts'
import { refusePasswordArgument } from './refuse-password-argument.ts'
import { renderError } from './render-error.ts'
import { createRun } from './run.ts'

/** Exit codes: 0 done, 1 failed, 2 not understood. */
async function main(args: readonly string[]): Promise<void> {
  const context: CommandContext = {
    environment: process.env,
    stdin: process.stdin,
    isTerminal: process.stdin.isTTY && process.stdout.isTTY && process.stderr.isTTY,
    print: (text) => void process.stdout.write(text),
    note: (text) => void process.stderr.write(text),
    isJson: args.includes('--json'),
    now: () => new Date(),
  }
  const run = createRun(context, () => {
    process.exitCode = 1
  })
  try {
    refusePasswordArgument(args)
    const program = await buildProgram(context, run, args)
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = failWith(context, error)
  }
}

function failWith(context: CommandContext, error: unknown): number {
  if (!(error instanceof CommanderError)) {
    renderError(context, error)
    return 1
  }
  // Help and version are thrown too, once they have been written.
  if (error.exitCode === 0) return 0
  if (context.isJson) {
    const message =
      error.code === 'commander.help'
        ? 'A command is missing; --help lists them.'
        : error.message.replace(/^error: /, '')
    context.print(`${JSON.stringify({ error: { code: 'invalid_arguments', message } })}\n`)
  }
  return 2
}

await main(process.argv.slice(2))
