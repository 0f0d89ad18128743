import { getDomain } from 'tldts'
import type { Address } from './address.ts'

/** What speaks for caution about a sender, in the names of the result. Null: not known without a contact book. */
export interface SenderSignals {
  readonly first_contact: null
  /** An answer would go to an address that is not among the senders. */
  readonly reply_to_differs: boolean
  readonly lookalike_domain: null
  /** A domain of From, Sender or Reply-To is written in letters beyond ASCII, as such or as `xn--`. */
  readonly punycode: boolean
  /** A sender is not of the owner's own domain; true as well when there is no sender. */
  readonly external: boolean
}

/** @param ownerAddresses addr-specs of the mailbox and its aliases. */
export function senderSignals(
  message: {
    readonly from: readonly Address[]
    readonly sender: Address | null
    readonly replyTo: readonly Address[]
  },
  ownerAddresses: readonly string[],
): SenderSignals {
  const from = message.from.map(({ email }) => email.toLowerCase())
  const replyTo = message.replyTo.map(({ email }) => email.toLowerCase())
  const sender = message.sender === null ? [] : [message.sender.email]
  const own = new Set(ownerAddresses.map(organisationOf))
  return {
    first_contact: null,
    reply_to_differs: replyTo.some((email) => !from.includes(email)),
    lookalike_domain: null,
    punycode: [...from, ...replyTo, ...sender].some((email) => isInternational(domainOf(email))),
    external: from.length === 0 || from.some((email) => !own.has(organisationOf(email))),
  }
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

function isInternational(domain: string): boolean {
  return /[^\0-\x7f]/.test(domain) || domain.split('.').some((label) => label.startsWith('xn--'))
}

/** The registrable domain, so that hosts of one organisation agree; what has none stands for itself. */
function organisationOf(email: string): string {
  const host = URL.parse(`http://${domainOf(email)}`)?.hostname ?? domainOf(email)
  // Private suffixes too: two customers of one hosting company are strangers to each other.
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}
