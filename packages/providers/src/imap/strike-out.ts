import { decodeModifiedUtf7 } from './modified-utf7.ts'
import type { Argument } from './wire.ts'

/**
 * A server's words without what it repeats of the command: they go to a log, where names of folders and words that
 * somebody looks for have no place.
 */
export function strikeOut(said: string, args: readonly Argument[]): string {
  if (said === '') return said
  // The longest first, or a part of one would be struck out and leave the rest.
  const texts = args.flatMap(textsOf).sort((a, b) => b.length - a.length)
  return texts.reduce((left, text) => left.replaceAll(text, '[...]'), said)
}

function textsOf(argument: Argument): string[] {
  if (isArgumentList(argument)) return argument.flatMap(textsOf)
  if (argument.type !== 'STRING' && argument.type !== 'LITERAL') return []
  const text = typeof argument.value === 'string' ? argument.value : argument.value.toString('utf8')
  return [...new Set([text, decodeModifiedUtf7(text)])].filter(({ length }) => length > 1)
}

function isArgumentList(argument: Argument): argument is readonly Argument[] {
  return Array.isArray(argument)
}
