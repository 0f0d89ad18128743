import type { Command, CommandContext } from './context.ts'

/** Runs a command and prints its answer; what it throws rises. */
export type Run = (command: Command) => Promise<void>

/** @param onFailure called when an answer says that something failed, for the exit code. */
export function createRun(context: CommandContext, onFailure: () => void): Run {
  return async (command) => {
    const answer = await command(context)
    if (answer === null) return
    context.print(context.isJson ? `${JSON.stringify(answer.json)}\n` : answer.text)
    if (answer.isFailure === true) onFailure()
  }
}
