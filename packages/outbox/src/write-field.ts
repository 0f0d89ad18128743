import { Fault } from '@postern/core'
import { encodeWords } from './encode-words.ts'
import type { Mailbox } from './mailbox.ts'

/** RFC 5322 2.1.1: what a line should not exceed; 998 is what it must not. */
const softLimit = 76
/** A longer name is written in pieces that lines can hold. */
const maxPlainName = 60

/**
 * A field of free text, as whole lines with their line breaks. ASCII stays as it is where folding can give it back
 * unchanged, everything else becomes encoded words.
 * @throws invalid_arguments for a line break or NUL, which would begin a field of the writer's own.
 */
export function writeTextField(name: string, text: string): string {
  requireOneLine(name, text)
  return foldWords(name, isPlain(text) ? text.split(' ') : encodeWords(text))
}

/** A field of mailboxes, one a line; the empty string where there are none. @throws as `writeTextField`. */
export function writeMailboxField(name: string, mailboxes: readonly Mailbox[]): string {
  if (mailboxes.length === 0) return ''
  return `${name}: ${mailboxes.map((mailbox) => writeMailbox(name, mailbox)).join(',\r\n ')}\r\n`
}

/** A field of message ids, which are as `<left@right>` already. The empty string where there are none. */
export function writeIdField(name: string, ids: readonly string[]): string {
  for (const id of ids) requireOneLine(name, id)
  return ids.length === 0 ? '' : `${name}: ${ids.join('\r\n ')}\r\n`
}

/** The Date field, in UTC. RFC 5322 3.3. */
export function writeDateField(date: Date): string {
  return `Date: ${date.toUTCString().replace('GMT', '+0000')}\r\n`
}

/** Printable, without what a reader would take for an encoded word, and with each blank where a fold may be. */
function isPlain(text: string): boolean {
  return /^[!-~]+(?: [!-~]+)*$/.test(text) && !text.includes('=?') && !/[^ ]{65}/.test(text)
}

function foldWords(name: string, words: readonly string[]): string {
  let field = `${name}:`
  let used = field.length
  for (const [index, word] of words.entries()) {
    // The first word stays on the first line: readers exist that take a field for empty otherwise.
    const isNewLine = index > 0 && used + 1 + word.length > softLimit
    field += isNewLine ? `\r\n ${word}` : ` ${word}`
    used = (isNewLine ? 0 : used) + 1 + word.length
  }
  return `${field}\r\n`
}

function writeMailbox(field: string, { name, email }: Mailbox): string {
  if (name === null || name === '') return email
  requireOneLine(field, name)
  return `${writePhrase(name)}${name.length + email.length > maxPlainName ? '\r\n' : ''} <${email}>`
}

/** A display name: bare, quoted, or in encoded words (RFC 5322 3.2.5, RFC 2047 5). */
function writePhrase(name: string): string {
  if (!isPlain(name) || name.length > maxPlainName) return encodeWords(name).join('\r\n ')
  return /^[\w!#$%&'*+/=?^`{|}~ -]+$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`
}

function requireOneLine(field: string, text: string): void {
  if (!/[\r\n\0]/.test(text)) return
  throw new Fault('invalid_arguments', {
    public: `${field} holds a line break or NUL, which no header may. Nothing was sent or stored.`,
    details: { field: field.toLowerCase() },
  })
}
