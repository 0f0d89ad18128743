import { decodeAsUtf8, decodeText, isKnownCharset, type DecodedText } from './charset.ts'
import { listEncodedWords, type EncodedWord } from './encoded-words.ts'
import { rawText, type RawText } from './text.ts'
import { decodeBase64, decodeQuotedPrintable } from './transfer-encoding.ts'
import { unfold } from './unfold.ts'

/**
 * An unstructured header value (octets as characters, as in `HeaderField`) as text; never throws.
 *
 * Encoded words are decoded wherever they stand, also inside words and quotes, where RFC 2047 forbids them
 * and senders write them. Octets above ASCII outside of them are UTF-8 if valid, else of `fallbackCharset`
 * (what the message declares for its body), else windows-1252. The value is unfolded and trimmed.
 * Source: RFC 2047, with the language suffix of RFC 2231 section 5; RFC 6532.
 */
export function decodeHeader(value: string, fallbackCharset: string | null): RawText {
  return decodeHeaderText(value, fallbackCharset).text
}

/** As `decodeHeader`, and says whether a charset was guessed or not known. */
export function decodeHeaderText(value: string, fallbackCharset: string | null): DecodedText {
  const unfolded = unfold(value).trim()
  if (isPlain.test(unfolded) && !unfolded.includes('=?')) return { text: rawText(unfolded), isGuessed: false }
  const out: DecodedText[] = []
  let run: EncodedWord[] = []
  let literal = 0
  const flush = (end: number): void => {
    for (const decoded of decodeWords(run)) out.push(decoded)
    run = []
    if (end > literal) out.push(decodeRaw(unfolded.slice(literal, end), fallbackCharset))
  }
  for (const word of listEncodedWords(unfolded)) {
    // RFC 2047 6.2: white space between two encoded words is not part of the text.
    const isAdjacent = run.length > 0 && isBlank.test(unfolded.slice(literal, word.start))
    if (!isAdjacent) flush(word.start)
    run.push(word)
    literal = word.end
  }
  flush(unfolded.length)
  return join(out)
}

const isPlain = /^[\t\x20-\x7e]*$/
const isBlank = /^[ \t\r\n]*$/

/** Octets as characters, without encoded words: UTF-8, the message's own charset, or windows-1252 as a guess. */
function decodeRaw(text: string, fallbackCharset: string | null): DecodedText {
  const isShifted = text.includes('\x1b') && fallbackCharset !== null && /^iso-?2022/i.test(fallbackCharset)
  if (isPlain.test(text)) return { text: rawText(text), isGuessed: false }
  const octets = Buffer.from(text, 'latin1')
  const utf8 = isShifted ? null : decodeAsUtf8(octets)
  const isDeclared =
    fallbackCharset !== null && isKnownCharset(fallbackCharset) && !isUtf8.test(fallbackCharset)
  if (utf8 !== null && !(utf8.isGuessed && isDeclared)) return utf8
  if (isDeclared) return decodeText(octets, fallbackCharset)
  return { text: decodeText(octets, 'windows-1252').text, isGuessed: true }
}

const isUtf8 = /utf-?8/i

/** A run of adjacent encoded words. */
function decodeWords(words: readonly EncodedWord[]): DecodedText[] {
  const out: DecodedText[] = []
  let octets: Uint8Array[] = []
  for (const [index, word] of words.entries()) {
    octets.push(octetsOf(word))
    // A character may be split over two words (RFC 2047 5 forbids it, many senders cut at 75 octets anyway).
    // UTF-7 alone has state that ends with its word.
    const isLast = words[index + 1]?.charset.toLowerCase() !== word.charset.toLowerCase()
    if (!isLast && !/utf-?7/i.test(word.charset)) continue
    out.push(decodeText(Buffer.concat(octets), word.charset))
    octets = []
  }
  return out
}

function octetsOf(word: EncodedWord): Uint8Array {
  if (word.encoding === 'b') return decodeBase64(Buffer.from(word.text, 'latin1')).content
  // RFC 2047 4.2: an underscore is always a space. A bare space is one too, which no line end may eat.
  return decodeQuotedPrintable(Buffer.from(word.text.replace(/[_ ]/g, '=20'), 'latin1')).content
}

function join(parts: readonly DecodedText[]): DecodedText {
  return {
    text: rawText(parts.map((part) => part.text).join('')),
    isGuessed: parts.some((part) => part.isGuessed),
  }
}
