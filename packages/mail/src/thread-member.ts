import { readBaseSubject } from './base-subject.ts'
import { findHeader } from './header.ts'
import { readMessageFields } from './message-fields.ts'
import type { Message } from './message.ts'
import { readThreadLinks } from './thread-links.ts'

/** A message with all that decides in which conversation it belongs, read once. */
export interface ThreadMember {
  readonly message: Message
  readonly messageId: string | null
  /** Ids of what it answers, the oldest first. */
  readonly chain: readonly string[]
  readonly base: string
  /** The base subject as written, for a search. */
  readonly baseText: string
  /** It has neither References nor In-Reply-To, and its subject says that it answers something. */
  readonly isLooseAnswer: boolean
  /** Lower-case addresses of sender and recipients, without the owner's. */
  readonly people: ReadonlySet<string>
  /** Equal for copies of one message, a mailing list's included. */
  readonly copyKey: string
}

/** People of one message that are compared; a longer list of recipients is no conversation. */
const maxPeople = 50

/** @param ownAddresses lower-case; the owner takes part in everything and so connects nothing. */
export function readThreadMember(message: Message, ownAddresses: ReadonlySet<string>): ThreadMember {
  const { messageId, chain } = readThreadLinks(message.headers)
  const { from, to, cc, subject } = readMessageFields(message.headers, message.tree)
  const { base, text: baseText, isAnswer } = readBaseSubject(subject)
  const addresses = [...from, ...to, ...cc].slice(0, maxPeople).map(({ email }) => email.toLowerCase())
  const sender = from[0]?.email.toLowerCase() ?? ''
  const date = findHeader(message.headers, 'Date')?.trim() ?? ''
  const nature = messageId === null ? [subject, message.sizeBytes] : [base]
  return {
    message,
    messageId,
    chain,
    base,
    baseText,
    isLooseAnswer: chain.length === 0 && isAnswer && base !== '',
    people: new Set(addresses.filter((email) => !ownAddresses.has(email))),
    // A Message-ID alone can be forged to hide another message behind one's own.
    copyKey: JSON.stringify([messageId, sender, date, ...nature]),
  }
}
