/** What a header field said of an address. `reply_to` and `sender` join and exclude people; they are no contact by themselves. */
export const sightingRoles = ['from', 'to', 'cc', 'bcc', 'reply_to', 'attendee', 'organizer'] as const
export type SightingRole = (typeof sightingRoles)[number]

/** As seen from the owner: who wrote to them, whom they wrote to, and whom they only met as one of many. */
export const directions = ['in', 'out', 'attended'] as const
export type Direction = (typeof directions)[number]

/** What an address is by its looks and its message alone; the book may learn better (`isRelayByHistory`). */
export const addressClasses = ['person', 'relay', 'list'] as const
export type AddressClass = (typeof addressClasses)[number]

/** One address in one header. */
export interface Sighting {
  readonly role: SightingRole
  /** As it was written, cleaned; at most 320 characters. */
  readonly spelling: string
  /** Case-folded local part, IDNA domain: what an address is told by. */
  readonly addressKey: string
  /** The same for all variants of one mailbox (plus tags; dots at Gmail): addresses of one key are one person. */
  readonly variantKey: string
  readonly addressClass: AddressClass
  /** Cleaned, at most 200 characters; null when the header gave none, or the address itself. Last, First as written. */
  readonly name: string | null
  /** A person that a relay speaks for ("Anna via Platform"): the name without its suffix; the address is the relay's. */
  readonly speaksFor: string | null
}

/** What one message told. Nothing else of it is kept. */
export interface Observation {
  readonly kind: 'message' | 'event'
  /** 16 octets: the same wherever the message lies, and however often it was uploaded. */
  readonly identity: Uint8Array
  /** At most 26 octets: where its header can be read again (`MessageRef`). */
  readonly locator: Uint8Array
  readonly at: Date
  readonly direction: Direction
  /**
   * Of mail in the Sent folder the variant key of its From; null of all other. One odd mail dragged there makes nobody the
   * owner: the book takes an address for the owner's own when several sent mails bear it, or an identity names it.
   */
  readonly sentFrom: string | null
  /** Mailing lists, machines: never lifts a relationship. */
  readonly isBulk: boolean
  /** DMARC as the receiving server found it; null when it did not say. Of mail of the owner always null. */
  readonly isAuthentic: boolean | null
  /** Without the owner's own addresses; each address at most once for a role. */
  readonly sightings: readonly Sighting[]
}
