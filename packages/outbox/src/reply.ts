import { readThreadLinks, type HeaderField } from '@postern/mail'
import { addressKey } from './addr-spec.ts'
import type { Letter, OwnText } from './letter.ts'
import { distinctMailboxes, type Mailbox } from './mailbox.ts'
import type { Original } from './original.ts'
import type { OutgoingFile } from './outgoing-file.ts'
import { maxPerField, maxRecipients, requireFew } from './parse-recipients.ts'
import { appendQuote } from './quote.ts'
import { replyRecipients } from './recipients.ts'
import { sign, type Signature } from './signature.ts'
import { replySubject, requireSubject } from './subject.ts'

export interface ReplyInit {
  readonly own: OwnText
  readonly from: Mailbox
  /** Identities and aliases of the owner, who does not write to himself. */
  readonly ownAddresses: readonly string[]
  readonly isReplyAll: boolean
  /** Added to what the original asks for. */
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
  readonly replyTo: Mailbox | null
  /** Null derives it from the original's. */
  readonly subject: string | null
  readonly signature: Signature | null
  readonly files: readonly OutgoingFile[]
  /** IANA zone in which the original's time is told. */
  readonly timezone: string
}

export interface Reply {
  readonly letter: Letter
  /** Addresses of the original that are none, and were left out of an answer to all. */
  readonly skipped: number
}

/**
 * An answer: to whom the original asks for, in its thread, own text first, then the signature, then the quote.
 * @throws recipient_invalid, too_many_recipients, invalid_arguments (subject); nothing was sent or stored.
 * Source: RFC 5322 3.6.4 and appendix A.2.
 */
export function reply(original: Original, init: ReplyInit): Reply {
  const { to, cc, skipped } = replyRecipients(original, init.ownAddresses, init.isReplyAll)
  const allCc = distinctMailboxes([...cc, ...init.cc], new Set(to.map(({ email }) => addressKey(email))))
  requireFew(allCc.length, maxPerField, 'cc')
  requireFew(to.length + allCc.length + init.bcc.length, maxRecipients, 'to, cc and bcc together')
  const letter: Letter = {
    from: init.from,
    replyTo: init.replyTo,
    to,
    cc: allCc,
    bcc: init.bcc,
    subject: init.subject === null ? replySubject(original.fields.subject) : requireSubject(init.subject),
    ...appendQuote(sign(init.own, init.signature), original, init.timezone),
    ...answerLinks(original.headers),
    files: init.files,
  }
  return { letter, skipped }
}

/** In-Reply-To and References of an answer: the chain of the original, bounded, and the original itself last. */
export function answerLinks(headers: readonly HeaderField[]): Pick<Letter, 'inReplyTo' | 'references'> {
  const { messageId, chain } = readThreadLinks(headers)
  return { inReplyTo: messageId, references: messageId === null ? chain : [...chain, messageId] }
}
