import { cutGraphemes } from '@postern/mail'

const maxNotes = 20
const maxNoteCharacters = 300

/** The notes of a result: each sentence once, at most 20 of 300 characters. */
export function tellNotes(notes: readonly string[]): readonly string[] {
  return [...new Set(notes)].slice(0, maxNotes).map((sentence) => cutGraphemes(sentence, maxNoteCharacters))
}
