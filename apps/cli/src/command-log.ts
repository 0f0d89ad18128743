import type { Log, LogFields } from '@postern/core'
import type { CommandContext } from './context.ts'

/** Log events that the person at the terminal should hear of, as sentences. */
const sentences: Readonly<Record<string, (fields: LogFields) => string>> = {
  key_file_made: ({ directory }) =>
    `Made a secret key: ${directory ?? ''} (readable by you alone). ` +
    'Keep a copy: without it, stored passwords and keys are worthless.',
  database_binaries_copied: ({ directory }) =>
    `PostgreSQL does not run as root; its programs were copied to ${directory ?? ''}, where its own user reaches them.`,
  database_folder_moved: ({ directory }) =>
    `PostgreSQL's own user cannot reach the data folder; the database lies in ${directory ?? ''}, and a link leads there.`,
}

/** A log for commands: a few events become sentences, the rest is for services and stays unsaid. */
export function commandLog(context: CommandContext): Log {
  const say = (event: string, fields: LogFields = {}): void => {
    const sentence = sentences[event]
    if (sentence !== undefined) context.note(`${sentence(fields)}\n`)
  }
  const log: Log = { debug: () => undefined, info: say, warn: say, error: say, with: () => log }
  return log
}
