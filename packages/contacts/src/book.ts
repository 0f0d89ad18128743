import type { AuthoredFields, ContactCard, Phone, PostalAddress } from './contact.ts'

/** Whose book, and what of it: a person is there when met in one of the inboxes, or when their home is one of them. */
export interface BookScope {
  readonly tenantId: string
  /** Inboxes that the caller reaches now. */
  readonly inboxIds: readonly string[]
  /** The caller reaches every inbox, also future ones: then people without any inbox are theirs too. */
  readonly reachesAll: boolean
}

export const addressContexts = ['any', 'work', 'private'] as const
export type AddressContext = (typeof addressContexts)[number]

export interface BookQuery {
  /** 1 to 200 characters after trimming; literal text. One or two characters match beginnings of words, more any part. */
  readonly text: string
  readonly order: 'latest' | 'ranked'
  readonly limit: number
  readonly offset: number
  /** Newest interactions per person, 0 to 20. */
  readonly interactions: number
  readonly now: Date
}

export interface BookPage {
  readonly cards: readonly ContactCard[]
  /** Exact up to 1,000; 1,000 with `isTotalFloor` beyond. */
  readonly total: number
  readonly isTotalFloor: boolean
  readonly hasMore: boolean
}

/** What a person is created with. Addresses are as `parseAddrSpec` accepts them. */
export interface ContactDraft extends Partial<Omit<AuthoredFields, 'phones' | 'postalAddresses'>> {
  readonly name: string
  readonly emails: readonly string[]
  readonly preferredEmail: string | null
  readonly phones: readonly Omit<Phone, 'handle'>[]
  readonly postalAddresses: readonly Omit<PostalAddress, 'handle'>[]
  /** Null: every inbox of the caller. */
  readonly homeInboxId: string | null
}

/** Only what is named changes; null clears. */
export interface ContactChange {
  readonly name?: string
  readonly organization?: string | null
  readonly birthday?: string | null
  readonly note?: string | null
  readonly preferredEmail?: string | null
  readonly addedEmails: readonly string[]
  readonly removedEmails: readonly string[]
  readonly addedPhones: readonly Omit<Phone, 'handle'>[]
  /** Handles or numbers. */
  readonly removedPhones: readonly string[]
  readonly addedPostalAddresses: readonly Omit<PostalAddress, 'handle'>[]
  readonly removedPostalAddresses: readonly string[]
  readonly updatedPostalAddresses: readonly (Partial<PostalAddress> & Pick<PostalAddress, 'handle'>)[]
  readonly addedRoles: readonly string[]
  readonly removedRoles: readonly string[]
}

export interface MergeConflict {
  readonly field: string
  readonly kept: string
  readonly other: string
}

export interface Merged {
  readonly card: ContactCard
  readonly conflicts: readonly MergeConflict[]
  readonly removed: readonly ContactCard[]
}

/** The owner's address book. Every method is bound to a scope, and what lies outside it is not found. */
export interface ContactBook {
  search(scope: BookScope, query: BookQuery): Promise<BookPage>
  /** @throws contact_not_found. */
  get(scope: BookScope, contactId: string, interactions: number): Promise<ContactCard>
  /** Of these address keys, the cards they stand on; for people met live as well. */
  findByAddresses(scope: BookScope, addressKeys: readonly string[]): Promise<ReadonlyMap<string, ContactCard>>
  /** Of message identities, those that are counted already in that inbox. */
  findCounted(
    scope: BookScope,
    inboxId: string,
    identities: readonly Uint8Array[],
  ): Promise<readonly boolean[]>
  /** @throws contact_conflict (details: contact_id) when an address stands on a record in scope. */
  create(scope: BookScope, draft: ContactDraft): Promise<ContactCard>
  /** @throws contact_not_found, contact_conflict, contact_handle_stale. */
  update(scope: BookScope, contactId: string, change: ContactChange): Promise<ContactCard>
  /** @throws contact_not_found. `blocks`: no mail and no import makes these addresses a contact again. */
  delete(scope: BookScope, contactId: string, options: { readonly blocks: boolean }): Promise<ContactCard>
  /** @throws contact_not_found. */
  merge(scope: BookScope, contactId: string, mergeContactIds: readonly string[]): Promise<Merged>
  /** Per inbox in scope, how far its headers have been read. */
  coverage(scope: BookScope): Promise<readonly InboxCoverage[]>
}

export interface InboxCoverage {
  readonly inboxId: string
  readonly state: 'waiting' | 'reading' | 'complete' | 'paused'
  readonly covered: number
  readonly total: number
  /** Messages a minute over the last pages; null before the second. */
  readonly perMinute: number | null
  readonly lastReadAt: Date | null
  /** Messages that were skipped after three tries. */
  readonly skipped: number
}
