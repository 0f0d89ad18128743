import type { CharsetEncoder } from './charset-encoder.ts'
import { encodeBase64Word, encodeQWord } from './transfer-encoding.ts'

export interface Mailbox {
  readonly name: string
  readonly email: string
}

/** Unstructured text as one folded header value: plain where it is ASCII, else encoded words (RFC 2047). */
export function headerText(text: string, charset: string, encode: CharsetEncoder): string {
  return isAscii(text) ? fold(text) : encodedWords(text, charset, encode)
}

/** `Name <address>`, the name quoted or encoded as its characters demand. */
export function formatMailbox(mailbox: Mailbox, charset: string, encode: CharsetEncoder): string {
  if (mailbox.name === '') return mailbox.email
  if (!isAscii(mailbox.name)) return `${encodedWords(mailbox.name, charset, encode)} <${mailbox.email}>`
  // RFC 5322 3.2.3: a phrase with anything beyond atoms and spaces must be quoted.
  const isPhrase = /^[\w!#$%&'*+/=?^`{|}~ -]+$/.test(mailbox.name)
  const name = isPhrase ? mailbox.name : `"${mailbox.name.replace(/["\\]/g, '\\$&')}"`
  return `${name} <${mailbox.email}>`
}

/** A list of mailboxes, one a line. */
export function formatMailboxes(
  mailboxes: readonly Mailbox[],
  charset: string,
  encode: CharsetEncoder,
): string {
  return mailboxes.map((mailbox) => formatMailbox(mailbox, charset, encode)).join(',\r\n ')
}

export function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text)
}

/** Breaks a value at spaces so that lines stay near 76 characters. */
function fold(value: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of value.split(' ')) {
    if (line !== '' && line.length + word.length > 62) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line].join('\r\n ')
}

/** RFC 2047 2: a word is at most 75 characters and holds whole characters only; spaces between words do not count. */
function encodedWords(text: string, charset: string, encode: CharsetEncoder): string {
  const word = /^(?:iso-8859|windows-1252)/.test(charset) ? encodeQWord : encodeBase64Word
  const words: string[] = []
  let chunk = ''
  for (const character of text) {
    if (word(charset, encode(chunk + character, charset)).length > 75) {
      words.push(word(charset, encode(chunk, charset)))
      chunk = character
    } else {
      chunk += character
    }
  }
  return [...words, word(charset, encode(chunk, charset))].join('\r\n ')
}
