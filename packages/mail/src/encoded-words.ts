/** One `=?charset*language?encoding?text?=` of a value; `end` is after the closing `?=`. */
export interface EncodedWord {
  readonly start: number
  readonly end: number
  readonly charset: string
  readonly encoding: 'b' | 'q'
  readonly text: string
}

/**
 * Every encoded word, left to right. One pass: an attempt reads at most to the `?` after its text, and a text
 * that runs into the next `=?` was never closed, so no stretch is read more than a few times.
 */
export function* listEncodedWords(value: string): Generator<EncodedWord> {
  let start = value.indexOf('=?')
  while (start !== -1) {
    const word = readEncodedWord(value, start)
    if (word !== null) yield word
    start = value.indexOf('=?', word === null ? start + 1 : word.end)
  }
}

/** The encoded word that starts at `start`, or null. */
export function readEncodedWord(value: string, start: number): EncodedWord | null {
  wordHead.lastIndex = start
  const head = wordHead.exec(value)
  if (head === null) return null
  const [prefix, charset = '', encoding = ''] = head
  const end = closeOfWord(value, start + prefix.length)
  if (end === -1) return null
  return {
    start,
    end: end + 2,
    charset,
    encoding: encoding === 'b' || encoding === 'B' ? 'b' : 'q',
    text: value.slice(start + prefix.length, end),
  }
}

// RFC 2231 5: a language may follow the charset after an asterisk; nothing here needs it.
const wordHead = /=\?([^?*\s]{1,60})(?:\*[^?\s]{0,60})?\?([bq])\?/iy

/** Where the closing `?=` stands. A lone `?` is text (senders forget to encode it), a new `=?` is not. */
function closeOfWord(value: string, from: number): number {
  for (let at = value.indexOf('?', from); at !== -1; at = value.indexOf('?', at + 1)) {
    if (value[at + 1] === '=') return at
    if (at > from && value[at - 1] === '=') return -1
  }
  return -1
}
