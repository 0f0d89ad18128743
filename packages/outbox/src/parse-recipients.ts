import { Fault, quote } from '@postern/core'
import { parseAddrSpec } from './addr-spec.ts'
import {
  distinctMailboxes,
  maxNameChars,
  recipientFields,
  type Mailbox,
  type RecipientField,
  type Recipients,
} from './mailbox.ts'

/** Most entries of one field, and of all three together. */
export const maxPerField = 50
export const maxRecipients = 100

const maxEntryChars = 1_000

/** What a caller asked for: one mailbox an entry, `Name <a@b.example>` or bare. */
export type RecipientTexts = Readonly<Record<RecipientField, readonly string[]>>

/**
 * Reads who is to get a message. Nothing is guessed or repaired: an entry that holds two addresses, a group or a line
 * break is refused. Each address stays once a field.
 * @throws recipient_invalid (`details.field`, `details.position` from 1), too_many_recipients; nothing was sent.
 */
export function parseRecipients(texts: RecipientTexts): Recipients {
  for (const field of recipientFields) requireFew(texts[field].length, maxPerField, field)
  const total = recipientFields.reduce((sum, field) => sum + texts[field].length, 0)
  requireFew(total, maxRecipients, 'to, cc and bcc together')
  const read = (field: RecipientField): readonly Mailbox[] =>
    distinctMailboxes(texts[field].map((entry, index) => parseEntry(entry, field, index + 1)))
  return { to: read('to'), cc: read('cc'), bcc: read('bcc') }
}

/** One mailbox of a single-valued argument, such as `from`. @throws recipient_invalid naming that argument. */
export function parseMailbox(entry: string, argument: string): Mailbox {
  return parseEntry(entry, argument, null)
}

/** @param what the field, or in words what is counted. @throws too_many_recipients. */
export function requireFew(count: number, limit: number, what: string): void {
  if (count <= limit) return
  throw new Fault('too_many_recipients', {
    public: `${what}: ${count} recipients, and at most ${limit} are allowed. Nothing was sent.`,
    details: { field: what, count, limit },
  })
}

function parseEntry(entry: string, argument: string, position: number | null): Mailbox {
  const result = readEntry(entry)
  if (typeof result !== 'string') return result
  const place = position === null ? argument : `Entry ${position} of ${argument}`
  throw new Fault('recipient_invalid', {
    public: `${place}, ${quote(entry)}, ${result} Give one mailbox, as "name@host" or "Name <name@host>". Nothing was sent.`,
    details: { field: argument, ...(position === null ? {} : { position }) },
  })
}

/** The mailbox, or what is wrong with it. */
function readEntry(entry: string): Mailbox | string {
  if (entry.length > maxEntryChars) return 'is too long.'
  // RFC 5322 2.2: a line break would begin a field of the writer's own.
  if (/\p{Cc}/u.test(entry) || !entry.isWellFormed())
    return 'holds a line break or another control character.'
  const text = entry.trim()
  // No address holds an angle bracket, so the last one opens it whatever stands in a quoted name.
  const open = text.endsWith('>') ? text.lastIndexOf('<') : -1
  const email = parseAddrSpec(open === -1 ? text : text.slice(open + 1, -1))
  if (email === null) return 'is not one address.'
  const name = open === -1 ? '' : readName(text.slice(0, open).trim())
  if (name === null) return 'has a name that is not quoted though it holds one of the characters < > @ : ; ".'
  if (name.length > maxNameChars) return `has a name of more than ${maxNameChars} characters.`
  return { name: name === '' ? null : name, email }
}

/** A comma or brackets in a name belong to it (`Doe, Jane`); what could be read as a second address or a group does not. */
function readName(text: string): string | null {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/su.exec(text)?.[1]
  if (quoted !== undefined) return quoted.replace(/\\(.)/gsu, '$1').trim()
  return /[<>@:;"]/.test(text) ? null : text
}
