import { Fault } from '@postern/core'
import { cleanLine, cutGraphemes, type RawText } from '@postern/mail'

export const maxSubjectChars = 989

// What mail programs write before the subject of an answer, and of a forwarded message, in their own languages.
const answerMarks = 're|aw|sv|vs|antw|res|rif|odp|ynt|\u56de\u590d|\u7b54\u590d|\u56de\u8986'
const forwardMarks = 'fwd?|wg|vl|tr|rv|enc|pd|ilt|doorst|\u8f6c\u53d1|\u8f49\u5bc4'

const mark = (words: string): RegExp =>
  new RegExp(`^(?:${words}) ?(?:\\[\\d{1,3}\\]|\\(\\d{1,3}\\)|\\^\\d{1,3})? ?[:\\uff1a] ?`, 'iu')
const answerMark = mark(answerMarks)
const forwardMark = mark(forwardMarks)

/** @throws invalid_arguments for an empty or too long subject, or one of several lines. */
export function requireSubject(line: string): string {
  const fault = /[\r\n\0]/.test(line)
    ? 'holds a line break or NUL'
    : line === ''
      ? 'is empty'
      : line.length > maxSubjectChars
        ? `has ${line.length} characters`
        : null
  if (fault === null) return line
  throw new Fault('invalid_arguments', {
    public: `The subject ${fault}. It must be one line of 1 to ${maxSubjectChars} characters. Nothing was sent or stored.`,
    details: { argument: 'subject', limit: maxSubjectChars },
  })
}

/** `Re: ` once, whatever markers of answering stood there. Never empty, at most `maxSubjectChars`. */
export function replySubject(original: RawText): string {
  return withMark('Re: ', original, answerMark)
}

/** `Fwd: ` once, as `replySubject`. */
export function forwardSubject(original: RawText): string {
  return withMark('Fwd: ', original, forwardMark)
}

function withMark(prefix: string, original: RawText, old: RegExp): string {
  let rest: string = cleanLine(original, maxSubjectChars * 2)
  for (let shorter = rest.replace(old, ''); shorter !== rest; shorter = rest.replace(old, '')) rest = shorter
  return cutGraphemes(`${prefix}${rest}`, maxSubjectChars).trimEnd()
}
