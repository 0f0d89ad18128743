import { foldText } from './fold-text.ts'

/** What a subject is about, and whether it says that it answers or forwards something. */
export interface BaseSubject {
  /** Without `Re:`, `Fwd:`, `(fwd)` and `[list]`, white space runs made one blank. May be empty. */
  readonly text: string
  /** The same case folded: equal for equal bases. */
  readonly base: string
  readonly isAnswer: boolean
}

/** A longer subject is compared by its beginning: each marker that is taken off looks at the rest again. */
const maxChars = 300

// RFC 5256 2.1 knows `re`, `fw` and `fwd`; the others are what mail programs write in their own languages.
const answer =
  /^(?:\[[^[\]]*\] ?)*(?:re|fwd?|aw|wg|sv|vs|vl|antw|tr|rv|res|enc|rif|odp|pd|ynt|ilt|\u56de\u590d|\u8f6c\u53d1) ?(?:\[[^[\]]*\] ?|\(\d{1,3}\) ?)?[:\uff1a]/i
const label = /^\[[^[\]]*\] ?(?=.)/
const trailer = /\(fwd\)$/i
const wrapped = /^\[fwd:(.*)\]$/i

/**
 * The base of a decoded subject.
 * Source: RFC 5256 2.1, with the answer markers of other languages added.
 */
export function readBaseSubject(subject: string): BaseSubject {
  let text = subject.slice(0, maxChars).trim().replace(/\s+/g, ' ')
  let isAnswer = false
  for (;;) {
    const bare = text.replace(trailer, '').replace(answer, '').replace(wrapped, '$1').trim()
    const shorter = bare === text ? text.replace(label, '') : bare
    if (shorter === text) return { text, base: foldText(text), isAnswer }
    isAnswer ||= bare !== text
    text = shorter
  }
}
