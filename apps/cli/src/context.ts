import type { Readable } from 'node:stream'

/** The process around a command, as a value, so that commands can be run in a test without a process. */
export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }
  /** Somebody sits at it: what they type and what they see is a terminal. */
  readonly isTerminal: boolean
  /** What the command was asked for: the answer, nothing else. */
  readonly print: (text: string) => void
  /** Everything said beside it: progress, prompts, errors, logs. */
  readonly note: (text: string) => void
  /** Set from `--json` anywhere on the line. */
  readonly isJson: boolean
  readonly now: () => Date
}

/** What a command found out or did, for programs and for people. */
export interface Answer {
  readonly json: Readonly<Record<string, unknown>>
  readonly text: string
  /** Set where the answer itself says that something failed. */
  readonly isFailure?: boolean
}

/** A command that has said everything itself answers null. */
export type Command = (context: CommandContext) => Promise<Answer | null>
