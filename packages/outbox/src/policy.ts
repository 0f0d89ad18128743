import { Fault } from '@postern/core'
import {
  hostOf,
  listHeaders,
  listRawFields,
  parseAddresses,
  parseHeaderBlock,
  type ComposedMessage,
  type Identity,
} from '@postern/mail'
import { addressKey } from './addr-spec.ts'
import { findIdentity, notAllowed } from './choose-identity.ts'
import { listRecipients, recipientFields, type RecipientField, type Recipients } from './mailbox.ts'
import type { SendLookups } from './send-lookups.ts'
import { readRecipients } from './read-recipients.ts'
import type { RecipientRule } from './recipient-rule.ts'

/** The rules of one key in one inbox. All of them must allow every recipient; no rule at all denies. */
export interface SendPolicy {
  readonly rules: readonly RecipientRule[]
  /** Most sends of the key from the inbox in a day of UTC; null: no cap. */
  readonly sendsPerDay: number | null
  /** Whether a member has to approve each message. */
  readonly needsApproval: boolean
}

export interface SendRequest {
  readonly message: ComposedMessage
  /** Verified From addresses of the inbox. */
  readonly identities: readonly Identity[]
  /** Everyone named in the conversation that is answered; empty for a message that begins one. */
  readonly participants: readonly string[]
  readonly now: Date
}

/**
 * Whether a message may go, judged by what will be sent: its envelope, and that its header names the same people.
 * @throws sender_not_allowed, recipient_not_allowed, send_cap_reached; compose_failed where envelope and header differ.
 * Nothing was sent.
 */
export async function checkSend(
  request: SendRequest,
  policy: SendPolicy,
  lookups: SendLookups,
): Promise<void> {
  const { recipients: named, senders } = readSameHeader(request.message)
  const { envelope } = request.message
  const isOwn = (email: string): boolean => findIdentity(request.identities, email) !== undefined
  if (![envelope.from, ...senders].every(isOwn)) throw notAllowed(request.identities)
  const rules = policy.rules.length === 0 ? [nobody] : policy.rules
  for (const rule of rules) {
    const isAllowed = allows(rule, request, lookups)
    for (const email of envelope.to) {
      if (!(await isAllowed(email))) throw refused(rule, placeOf(email, named))
    }
  }
  await requireBelowCap(request, policy, lookups)
}

const nobody: RecipientRule = { kind: 'list', entries: [] }

type Test = (email: string) => boolean | Promise<boolean>

function allows(rule: RecipientRule, request: SendRequest, lookups: SendLookups): Test {
  switch (rule.kind) {
    case 'anyone':
      return () => true
    case 'same_domain': {
      const own = hostOf(request.message.envelope.from)
      return (email) => own !== null && hostOf(email) === own
    }
    case 'known_correspondents':
      return (email) => lookups.isKnownCorrespondent(email)
    case 'thread_participants': {
      const known = new Set(request.participants.map(addressKey))
      return (email) => known.has(addressKey(email))
    }
    case 'list': {
      const entries = new Set(rule.entries.map((entry) => entry.trim().toLowerCase()))
      return (email) => entries.has(addressKey(email)) || entries.has(`@${hostOf(email) ?? ''}`)
    }
  }
}

const explanations: Readonly<Record<RecipientRule['kind'], string>> = {
  anyone: 'anyone',
  same_domain: 'addresses of the domain of the sender',
  known_correspondents: 'people the owner has written to before',
  thread_participants: 'people of the conversation that is answered',
  list: 'the addresses and domains of a list that the owner keeps',
}

/** By place: in an answer the address is a stranger's word, which no fault repeats. */
function refused({ kind }: RecipientRule, { field, position }: Place): Fault {
  return new Fault('recipient_not_allowed', {
    public: `Entry ${position} of ${field} may not be written to: the rule of this inbox and key allows only ${explanations[kind]}. Nothing was sent. The owner can change the rule.`,
    details: { rule: kind, field, position },
  })
}

interface Place {
  readonly field: RecipientField
  /** From 1, each address counted once. */
  readonly position: number
}

function placeOf(email: string, named: Recipients): Place {
  const places = recipientFields.map((field) => ({
    field,
    position: named[field].findIndex((one) => addressKey(one.email) === addressKey(email)) + 1,
  }))
  return places.find(({ position }) => position > 0) ?? { field: 'to', position: 0 }
}

async function requireBelowCap(
  { now }: SendRequest,
  { sendsPerDay }: SendPolicy,
  lookups: SendLookups,
): Promise<void> {
  if (sendsPerDay === null) return
  const today = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))
  if (await lookups.takeSend(today, sendsPerDay)) return
  const resetAt = new Date(today.getTime() + 86_400_000)
  throw new Fault('send_cap_reached', {
    public: `This key may send ${sendsPerDay} messages a day from this inbox, and has. Nothing was sent. The count starts again at ${resetAt.toISOString()}.`,
    details: { cap: sendsPerDay, reset_at: resetAt.toISOString() },
    retryAfterSeconds: Math.ceil((resetAt.getTime() - now.getTime()) / 1_000),
  })
}

/** What the header of a message says of the people it is from and to. */
interface SameHeader {
  readonly recipients: Recipients
  /** Of the field Sender: readers show that one wrote for another (RFC 5322 3.6.2). */
  readonly senders: readonly string[]
}

/**
 * Nobody is in the envelope whom the header does not name, and the other way round; the sender is the one author, of
 * the one From field that there is, and no field lies beyond what was read.
 */
function readSameHeader({ octets, envelope }: ComposedMessage): SameHeader {
  const { fields } = parseHeaderBlock(octets)
  const recipients = readRecipients(fields)
  const named = new Set(listRecipients(recipients).map(addressKey))
  const reached = new Set(envelope.to.map(addressKey))
  const addressesOf = (name: string): readonly string[] =>
    listHeaders(fields, name).flatMap((value) => parseAddresses(value, null).map(({ email }) => email))
  const authors = addressesOf('From')
  const isWhole = listRawFields(octets).fields.length === fields.length
  const isSame = named.symmetricDifference(reached).size === 0 && envelope.to.length > 0
  const isSender =
    listHeaders(fields, 'From').length === 1 &&
    authors.length === 1 &&
    addressKey(authors[0] ?? '') === addressKey(envelope.from)
  if (isWhole && isSame && isSender) return { recipients, senders: addressesOf('Sender') }
  throw new Fault('compose_failed', {
    public: 'Postern could not build this message as it was asked for. Nothing was sent.',
    internal: `envelope and header differ: ${envelope.to.length} recipients, ${authors.length} authors`,
  })
}
