import type { Direction } from './sighting.ts'

export const contactSources = ['derived', 'authored', 'imported'] as const
export type ContactSource = (typeof contactSources)[number]

export const addressConfidences = ['none', 'low', 'medium', 'high'] as const
export type AddressConfidence = (typeof addressConfidences)[number]

export const relationships = ['none', 'minimal', 'occasional', 'regular', 'close'] as const
export type Relationship = (typeof relationships)[number]

/** What the messages of the inboxes that a caller reaches say of one address; nothing of others is in it. */
export interface AddressFacts {
  /** Distinct messages by the owner to it, and from it to the owner. */
  readonly out: number
  readonly in: number
  /** Distinct days (UTC) on which either was. */
  readonly days: number
  /** Sightings with a name, and how many of those say the person's own. */
  readonly named: number
  readonly agreeing: number
  /** Every message from it failed DMARC; false when there is none. */
  readonly isAllForged: boolean
  readonly lastOutAt: Date | null
  readonly lastInAt: Date | null
  /** A mail server refused it for good after the last message from it. */
  readonly hasBounced: boolean
}

/** One address of a person. */
export interface ContactAddress extends AddressFacts {
  readonly addressKey: string
  /** As it was last seen. */
  readonly spelling: string
  readonly source: ContactSource
  readonly isPreferred: boolean
  /** A relay or a list: shown apart, and never the person's address. */
  readonly isExcluded: boolean
  readonly lastSeenAt: Date | null
}

/** For the rating of a person, of messages and events alike, bulk left out of all but `total`. */
export interface RelationshipFacts {
  readonly total: number
  readonly out: number
  readonly in: number
  readonly days: number
  /** Within 180 days and within 365 days before now. */
  readonly recent: WindowFacts
  readonly year: WindowFacts
}

export interface WindowFacts {
  readonly out: number
  readonly in: number
  /** Accepted events that both were at. */
  readonly joint: number
  readonly interactions: number
  readonly days: number
}

/** One message (or event) with a person: where its header can be read again. */
export interface Interaction {
  readonly kind: 'message' | 'event'
  readonly direction: Direction
  readonly at: Date
  readonly inboxId: string
  readonly locator: Uint8Array
}

export interface Phone {
  /** `p0`, `p1`, ...: never given twice within a record. */
  readonly handle: string
  readonly number: string
  readonly label: string | null
}

export interface PostalAddress {
  /** `a0`, `a1`, ...: never given twice within a record. */
  readonly handle: string
  readonly label: string | null
  readonly street: string | null
  readonly city: string | null
  readonly region: string | null
  readonly postalCode: string | null
  readonly country: string | null
}

/** What an owner wrote of a person. */
export interface AuthoredFields {
  readonly organization: string | null
  /** `YYYY-MM-DD`, or `--MM-DD` without a year. */
  readonly birthday: string | null
  readonly note: string | null
  readonly roles: readonly string[]
  readonly phones: readonly Phone[]
  readonly postalAddresses: readonly PostalAddress[]
}

/** A person as one caller may see them: computed from the inboxes that it reaches. */
export interface ContactCard extends AuthoredFields {
  readonly contactId: string
  readonly source: ContactSource
  /** The owner's word, else the newest self-given name, else the newest given by others; null when there is none. */
  readonly name: string | null
  /** Of the inboxes that the caller reaches, those in which the person was met; the latest first. */
  readonly inboxIds: readonly string[]
  readonly addresses: readonly ContactAddress[]
  /** Distinct messages, whatever inbox they lie in. */
  readonly messageCount: number
  readonly lastContactedAt: Date | null
  readonly relationshipFacts: RelationshipFacts
  /** The newest, as many as were asked for. */
  readonly interactions: readonly Interaction[]
}
