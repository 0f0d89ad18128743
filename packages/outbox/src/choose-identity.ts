import { Fault } from '@postern/core'
import type { Identity } from '@postern/mail'
import { addressKey, parseAddrSpec } from './addr-spec.ts'
import type { Mailbox } from './mailbox.ts'
import { usableMailboxes, type Original } from './original.ts'
import { parseMailbox } from './parse-recipients.ts'

/**
 * Who a message is from: the identity that was asked for, else the one that the original was addressed to, else the
 * primary one. The name is the identity's; a name that a caller gives is not taken.
 * @throws sender_not_allowed listing the identities, recipient_invalid for what is no address; nothing was sent.
 */
export function chooseIdentity(
  identities: readonly Identity[],
  asked: string | null,
  original: Pick<Original, 'fields'> | null = null,
): Mailbox {
  if (asked !== null) {
    const { email } = parseMailbox(asked, 'from')
    const found = findIdentity(identities, email)
    if (found === undefined) throw notAllowed(identities)
    return toMailbox(found, identities)
  }
  const fields = original?.fields
  const addressed = usableMailboxes(fields === undefined ? [] : [...fields.to, ...fields.cc, ...fields.from])
  const named = addressed.map(({ email }) => findIdentity(identities, email)).find((one) => one !== undefined)
  const chosen = named ?? identities.find(({ isPrimary }) => isPrimary) ?? identities[0]
  if (chosen === undefined) throw notAllowed(identities)
  return toMailbox(chosen, identities)
}

/** The verified identity of that address, in any case. */
export function findIdentity(identities: readonly Identity[], email: string): Identity | undefined {
  return identities.find((one) => addressKey(one.email) === addressKey(email))
}

/** @param identities whose addresses the owner may use; they are told, being the owner's own. */
export function notAllowed(identities: readonly Identity[]): Fault {
  const known = identities.slice(0, 20).map(({ email }) => email)
  return new Fault('sender_not_allowed', {
    public: `This inbox may not send from that address. Its verified identities: ${known.join(', ') || 'none'}. Nothing was sent.`,
    details: { identities: known },
  })
}

function toMailbox({ email, name }: Identity, identities: readonly Identity[]): Mailbox {
  const address = parseAddrSpec(email)
  if (address === null) throw notAllowed(identities.filter((one) => one.email !== email))
  // A sender name is set by the owner and travels in every header: one line of it.
  const line = (name ?? '').replace(/[\p{Cc}<>]+/gu, ' ').trim()
  return { name: line === '' ? null : line, email: address }
}
