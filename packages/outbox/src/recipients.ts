import { Fault } from '@postern/core'
import { findHeader, type MessageFields } from '@postern/mail'
import { addressKey } from './addr-spec.ts'
import { distinctMailboxes, type Mailbox } from './mailbox.ts'
import { usableMailboxes, type Original } from './original.ts'
import { maxPerField, requireFew } from './parse-recipients.ts'

export interface ReplyRecipients {
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  /** Addresses of the original that a reply to all would have gone to and that are none. */
  readonly skipped: number
}

/**
 * Who gets an answer: where Reply-To says, else the author; one mailbox unless all are answered. Then the original's
 * To joins To and its Cc joins Cc, without the owner, everyone once, To over Cc. An answer to one's own message goes
 * to those it went to.
 * @param own addresses of the owner, identities and aliases, in any case.
 * @throws recipient_invalid (no address to answer to, or several), too_many_recipients; nothing was sent.
 * Source: RFC 5322 3.6.2 and 3.6.3; RFC 2919 for lists.
 */
export function replyRecipients(
  original: Pick<Original, 'headers' | 'fields'>,
  own: readonly string[],
  isReplyAll: boolean,
): ReplyRecipients {
  const { fields } = original
  const ownKeys = new Set(own.map(addressKey))
  const withoutOwn = (mailboxes: readonly Mailbox[]): readonly Mailbox[] =>
    distinctMailboxes(mailboxes, ownKeys)
  const to = usableMailboxes(fields.to)
  const answered = answeredBy(original, withoutOwn)
  const targets = orElse(answered.mailboxes, to)
  if (targets.length === 0) throw noAddress()
  if (targets.length > 1 && !isReplyAll && !answered.isOwnMail) throw severalAddresses(targets.length)
  if (!isReplyAll) return { to: targets, cc: [], skipped: 0 }

  const allTo = distinctMailboxes([...targets, ...withoutOwn(to)])
  const taken = new Set([...ownKeys, ...allTo.map(({ email }) => addressKey(email))])
  const cc = distinctMailboxes(usableMailboxes(fields.cc), taken)
  requireFew(allTo.length + cc.length, maxPerField, 'an answer to all')
  return { to: allTo, cc, skipped: countUnusable(fields) }
}

interface Answered {
  readonly mailboxes: readonly Mailbox[]
  readonly isOwnMail: boolean
}

function answeredBy(
  original: Pick<Original, 'headers' | 'fields'>,
  withoutOwn: (mailboxes: readonly Mailbox[]) => readonly Mailbox[],
): Answered {
  const { fields } = original
  const from = usableMailboxes(fields.from)
  const asked = usableMailboxes(fields.replyTo)
  const sender = from.length > 1 ? usableMailboxes([fields.sender]) : from
  const named = asked.length > 0 ? (listAuthor(original, asked) ?? asked) : orElse(sender, from)
  const isOwnMail = from.length > 0 && withoutOwn(from).length === 0
  if (!isOwnMail) return { mailboxes: orElse(withoutOwn(named), named), isOwnMail }
  // A form on the owner's site writes in the owner's name to the owner: who filled it in stands in Reply-To.
  const others = orElse(withoutOwn(usableMailboxes(fields.to)), withoutOwn(named))
  return { mailboxes: orElse(others, named), isOwnMail }
}

/**
 * A list may add itself to Reply-To; the author is who remains, or who stands in From. Null where that is nobody, or
 * not one: then Reply-To is taken at its word.
 */
function listAuthor(
  { headers, fields }: Pick<Original, 'headers' | 'fields'>,
  asked: readonly Mailbox[],
): readonly Mailbox[] | null {
  const listId = /<([^<>]{1,500})>\s*$/
    .exec((findHeader(headers, 'List-Id') ?? '').slice(-1_000))?.[1]
    ?.toLowerCase()
  if (listId === undefined) return null
  const addressed = new Set(
    usableMailboxes([...fields.to, ...fields.cc]).map(({ email }) => addressKey(email)),
  )
  const isList = ({ email }: Mailbox): boolean =>
    addressed.has(addressKey(email)) || addressKey(email).replace('@', '.') === listId
  const people = asked.filter((mailbox) => !isList(mailbox))
  return people.length === 1 ? people : null
}

function orElse(first: readonly Mailbox[], second: readonly Mailbox[]): readonly Mailbox[] {
  return first.length > 0 ? first : second
}

function countUnusable({ to, cc }: MessageFields): number {
  return [...to, ...cc].filter((address) => usableMailboxes([address]).length === 0).length
}

function noAddress(): Fault {
  return new Fault('recipient_invalid', {
    public:
      'This message names no address that could be answered. Nothing was sent. To write to somebody, use email_compose with action send.',
    details: { field: 'to', count: 0 },
  })
}

function severalAddresses(count: number): Fault {
  return new Fault('recipient_invalid', {
    public: `This message asks for answers to ${count} addresses, and an answer goes to one. Nothing was sent. reply_all writes to all of them; action send writes to the one you mean.`,
    details: { field: 'to', count },
  })
}
