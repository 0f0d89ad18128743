import { Fault } from '@postern/core'
import {
  listHeaders,
  listRawFields,
  parseHeaderBlock,
  readMessageFields,
  type ComposedMessage,
  type HeaderField,
  type RawFields,
} from '@postern/mail'
import { addressKey, type AddrSpec } from './addr-spec.ts'
import { messageDigest } from './digest.ts'
import type { Making } from './letter.ts'
import { listRecipients, recipientFields, type Mailbox, type Recipients } from './mailbox.ts'
import { usableMailboxes } from './original.ts'
import { ownMessageId } from './own-message-id.ts'
import { readRecipients } from './read-recipients.ts'
import { writeDateField, writeMailboxField } from './write-field.ts'

/**
 * What mail programs keep in the header of a draft for themselves: Thunderbird, Apple Mail, Evolution, KMail, Claws,
 * Outlook, Roundcube, Mutt and Gnus. It says whose account, which folder, how far editing had come.
 */
const draftOnlyFields: ReadonlySet<string> = new Set(
  ['x-mozilla-draft-info', 'x-mozilla-keys', 'x-mozilla-status', 'x-mozilla-status2', 'x-identity-key']
    .concat(['x-account-key', 'x-uniform-type-identifier', 'x-universally-unique-identifier', 'x-unsent'])
    .concat(['return-path', 'x-draft-info', 'x-draft-from', 'x-template', 'fcc', 'x-fcc']),
)
// A message that was passed on once tells of that journey (RFC 5322 3.6.6), and of whom it went to; this is another.
const draftOnlyPrefixes = [
  'resent-',
  'x-apple-',
  'x-evolution-',
  'x-kmail-',
  'x-claws-',
  'x-sylpheed-',
  'x-mutt-',
]

/**
 * A stored draft as it will be sent: its revision, unrendered. The body stays octet for octet; of the header draft-only
 * fields go, Date is now, and a Message-ID is added where there is none. Bcc stays for the sender's copy
 * (`withoutBcc` of mail takes it off the wire).
 * @param filled recipients for a draft that has none (`fillRecipients`); null takes those it has.
 * @throws draft_no_recipients, recipient_invalid, too_many_recipients, sender_not_allowed (no single sender),
 * invalid_arguments (a header that cannot go on the wire as it is); nothing was sent.
 */
export function dispatch(
  stored: Uint8Array,
  making: Making,
  filled: Recipients | null = null,
): ComposedMessage {
  const raw = listRawFields(stored)
  const { fields, end, bodyStart } = raw
  const { fields: headers } = parseHeaderBlock(stored)
  requireCleanHeader(stored, raw, headers.length)
  const recipients = filled ?? readRecipients(headers)
  const to = listRecipients(recipients)
  if (to.length === 0) throw noRecipients()
  const from = requireSender(headers)

  const kept = readMessageFields(headers).rfcMessageId ?? ''
  const rfcMessageId = isMessageId(kept) ? kept : ownMessageId(making.token, from)
  const replaced = new Set<string>(['date', ...(kept === rfcMessageId ? [] : ['message-id'])])
  if (filled !== null) for (const field of recipientFields) replaced.add(field)
  const header = [
    ...(kept === rfcMessageId ? [] : [`Message-ID: ${rfcMessageId}\r\n`]),
    writeDateField(making.now),
    ...(filled === null ? [] : writeRecipients(filled)),
  ].join('')
  const left = fields.filter(({ name }) => !replaced.has(name) && !isDraftOnly(name))
  const octets = Buffer.concat([
    Buffer.from(header, 'utf8'),
    ...left.map((field) => stored.subarray(field.start, field.end)),
    // A header that ends with the message may lack the end of its last line.
    Buffer.from(stored[end - 1] === 0x0a ? '\r\n' : '\r\n\r\n'),
    stored.subarray(bodyStart),
  ])
  const { bodyStart: newBodyStart } = listRawFields(octets)
  return {
    octets,
    envelope: { from, to },
    rfcMessageId,
    sha256: messageDigest(octets),
    needsUtf8: octets.subarray(0, newBodyStart).some((octet) => octet > 0x7f),
  }
}

/**
 * Whether recipients given with the act of sending fill a draft (`fill`) or repeat what it has (`same`).
 * @throws argument_not_allowed where the draft is addressed otherwise.
 */
export function fillRecipients(stored: Recipients, given: Recipients): 'fill' | 'same' {
  if (listRecipients(stored).length === 0) return 'fill'
  if (recipientFields.every((field) => isSameField(stored[field], given[field]))) return 'same'
  throw new Fault('argument_not_allowed', {
    public:
      'This draft has recipients already, and others were given. Nothing was sent. draft update with to, cc or bcc changes them.',
    details: { arguments: recipientFields, action: 'update' },
  })
}

function isSameField(stored: readonly Mailbox[], given: readonly Mailbox[]): boolean {
  const keys = (some: readonly Mailbox[]): Set<string> => new Set(some.map(({ email }) => addressKey(email)))
  // What was not given asks for nothing.
  return given.length === 0 || keys(stored).symmetricDifference(keys(given)).size === 0
}

function writeRecipients({ to, cc, bcc }: Recipients): readonly string[] {
  return [writeMailboxField('To', to), writeMailboxField('Cc', cc), writeMailboxField('Bcc', bcc)]
}

function isDraftOnly(name: string): boolean {
  return draftOnlyFields.has(name) || draftOnlyPrefixes.some((prefix) => name.startsWith(prefix))
}

function isMessageId(text: string): boolean {
  return /^<[!-;=?-~]{3,248}>$/.test(text)
}

/** No program writes a longer one, and beyond this `parseHeaderBlock` begins to pass over what it holds. */
const maxHeaderOctets = 256 * 1024

/**
 * Every line of the header belongs to a field and ends as a line ends, every field is one that was judged, and a blank
 * line ends them: what one reader takes for a field another must not take for text, or a Bcc could travel in the
 * difference, or an author whom nobody verified.
 */
function requireCleanHeader(stored: Uint8Array, { fields, end, bodyStart }: RawFields, judged: number): void {
  const covered = fields.reduce((sum, field) => sum + field.end - field.start, 0)
  const header = Buffer.from(stored.subarray(0, end)).toString('latin1')
  const isEnded = bodyStart > end || end === stored.length
  const isWhole = covered === end && judged === fields.length && end <= maxHeaderOctets
  // Some readers end a line at a vertical tab or form feed too.
  if (isEnded && isWhole && !/\r(?!\n)|[\0\v\f]/.test(header)) return
  throw new Fault('invalid_arguments', {
    public:
      'The header of this draft holds lines that no mail may have, so it cannot be sent as it is. Nothing was sent. Write it anew with draft create or update.',
  })
}

/** The topmost From is what we read; of two, others read the other one. */
function requireSender(headers: readonly HeaderField[]): AddrSpec {
  const [sender, ...others] = usableMailboxes(readMessageFields(headers).from)
  if (sender !== undefined && others.length === 0 && listHeaders(headers, 'From').length === 1)
    return sender.email
  throw new Fault('sender_not_allowed', {
    public: 'This draft does not name exactly one sender. Nothing was sent. draft update with from sets it.',
  })
}

function noRecipients(): Fault {
  return new Fault('draft_no_recipients', {
    public:
      'This draft is addressed to nobody. Nothing was sent. Give to, cc or bcc with this call, or set them with draft update.',
  })
}
