import {
  addressConfidences,
  contactSources,
  relationships,
  type AddressContext,
  directions,
  type ContactAddress,
  type Interaction,
} from '@postern/contacts'
import type { Signer } from '@postern/core'
import { cleanBlock, cleanLine, rawText, sealMessageId, type CleanText } from '@postern/mail'
import * as z from 'zod'
import { cleanText } from '../outputs.ts'
import { lineStatuses, type InteractionLines } from './interaction-lines.ts'
import { chooseAddress, rateAddress, rateRelationship } from './judge.ts'
import type { Person } from './person.ts'

/** Interactions that a person is told with. */
export const maxLastInteractions = 3
export const maxLoggedInteractions = 20
/** UTF-16 units of a short text; an address has at most 320. */
const maxText = 400

const interaction = z.strictObject({
  kind: z.enum(['message', 'event']),
  direction: z.enum(directions),
  date: z.string(),
  line: cleanText.nullable(),
  line_status: z.enum(lineStatuses),
  message_id: z.string().optional(),
})

export const contactRow = z.strictObject({
  contact_id: z.string().nullable(),
  inbox_id: z.string().nullable(),
  inbox_ids: z.array(z.string()),
  email_address: cleanText.nullable(),
  display_name: cleanText.nullable(),
  message_count: z.number().int(),
  last_contacted_at: z.string().nullable(),
  address_confidence: z.enum(addressConfidences),
  relationship: z.enum(relationships),
  source: z.enum(contactSources),
  last_interactions: z.array(interaction),
  other_addresses: z.number().int(),
  has_excluded_relays: z.boolean(),
})

export const contactDetails = z.strictObject({
  addresses: z.array(
    z.strictObject({
      email_address: cleanText,
      confidence: z.enum(addressConfidences),
      last_seen_at: z.string().nullable(),
      source: z.enum(contactSources),
      preferred: z.boolean(),
    }),
  ),
  phones: z.array(z.strictObject({ handle: z.string(), number: cleanText, label: cleanText.nullable() })),
  postal_addresses: z.array(
    z.strictObject({
      handle: z.string(),
      label: cleanText.nullable(),
      street: cleanText.nullable(),
      city: cleanText.nullable(),
      region: cleanText.nullable(),
      postal_code: cleanText.nullable(),
      country: cleanText.nullable(),
    }),
  ),
  organization: cleanText.nullable(),
  roles: z.array(cleanText),
  birthday: z.string().nullable(),
  note: cleanText.nullable(),
  excluded_relays: z.array(cleanText),
})

/** A person with all that is known of them, as a write answers. */
export const contactRecord = contactRow.extend(contactDetails.shape)

export const anyContactRow = contactRow.extend({
  ...contactDetails.partial().shape,
  interactions: z.array(interaction).optional(),
})

export type ContactRow = z.input<typeof contactRow>
export type ContactDetails = z.input<typeof contactDetails>
export type AnyContactRow = z.input<typeof anyContactRow>
type InteractionRow = z.input<typeof interaction>

/** How people are told in one answer. */
export interface RowView {
  readonly addressContext: AddressContext
  /** Null where nothing was searched for. */
  readonly query: string | null
  readonly lines: InteractionLines
  /** Interactions of a row. */
  readonly shown: number
}

/** One person, their ratings and their best address. */
export function renderContact(card: Person, { addressContext, query, lines, shown }: RowView): ContactRow {
  const best = chooseAddress(card, addressContext, query)
  const usable = card.addresses.filter(({ isExcluded }) => !isExcluded)
  return {
    contact_id: card.contactId,
    inbox_id: card.inboxIds[0] ?? null,
    inbox_ids: [...card.inboxIds],
    email_address: best === null ? null : told(best.spelling),
    display_name: nameOf(card, best),
    message_count: card.messageCount,
    last_contacted_at: seconds(card.lastContactedAt),
    address_confidence: best === null ? 'none' : rateAddress(best),
    relationship: rateRelationship(card.relationshipFacts),
    source: card.source,
    last_interactions: card.interactions.slice(0, shown).map((one) => renderInteraction(one, lines)),
    other_addresses: Math.max(0, usable.length - (best === null ? 0 : 1)),
    has_excluded_relays: usable.length < card.addresses.length,
  }
}

export function renderDetails(card: Person): ContactDetails {
  const usable = card.addresses.filter(({ isExcluded }) => !isExcluded)
  return {
    addresses: usable.map((address) => ({
      email_address: told(address.spelling),
      confidence: rateAddress(address),
      last_seen_at: seconds(address.lastSeenAt),
      source: address.source,
      preferred: address.isPreferred,
    })),
    phones: card.phones.map(({ handle, number, label }) => ({
      handle,
      number: told(number),
      label: toldOrNull(label),
    })),
    postal_addresses: card.postalAddresses.map(({ handle, postalCode, ...fields }) => ({
      handle,
      label: toldOrNull(fields.label),
      street: toldOrNull(fields.street),
      city: toldOrNull(fields.city),
      region: toldOrNull(fields.region),
      postal_code: toldOrNull(postalCode),
      country: toldOrNull(fields.country),
    })),
    organization: toldOrNull(card.organization),
    roles: card.roles.map(told),
    birthday: card.birthday,
    note: card.note === null ? null : cleanBlock(rawText(card.note)),
    excluded_relays: card.addresses
      .filter(({ isExcluded }) => isExcluded)
      .map(({ spelling }) => told(spelling)),
  }
}

/** The log of a person, each message with the id that reads it. */
export function renderLog(card: Person, lines: InteractionLines, signer: Signer): InteractionRow[] {
  return card.interactions.slice(0, maxLoggedInteractions).map((one) => ({
    ...renderInteraction(one, lines),
    ...(one.kind === 'message'
      ? { message_id: sealMessageId(signer, one.inboxId, { locator: one.locator }) }
      : {}),
  }))
}

function renderInteraction(one: Interaction, lines: InteractionLines): InteractionRow {
  const { line, status } = lines(one)
  return { kind: one.kind, direction: one.direction, date: seconds(one.at) ?? '', line, line_status: status }
}

/** The local part stands in where nobody ever gave a name. */
function nameOf({ name }: Person, best: ContactAddress | null): CleanText | null {
  if (name !== null) return told(name)
  return best === null ? null : told(best.spelling.slice(0, Math.max(1, best.spelling.lastIndexOf('@'))))
}

function told(text: string): CleanText {
  return cleanLine(rawText(text), maxText)
}

function toldOrNull(text: string | null): CleanText | null {
  return text === null ? null : cleanLine(rawText(text), maxText)
}

/** Mail knows no milliseconds, and a row has many times in it. */
function seconds(at: Date | null): string | null {
  return at === null ? null : `${at.toISOString().slice(0, 19)}Z`
}
