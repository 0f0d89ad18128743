export const inboxStatuses = ['connected', 'connecting', 'reconnect_required', 'disabled'] as const
export type InboxStatus = (typeof inboxStatuses)[number]

/** One connected mailbox as the store knows it; no secret in it. */
export interface InboxRecord {
  readonly inboxId: string
  readonly tenantId: string
  readonly provider: string
  /** Brand of the service (`fastmail`), where a preset told it. */
  readonly service: string | null
  readonly emailAddress: string
  readonly displayName: string | null
  /** Further addresses of the owner, lower-case. */
  readonly aliases: readonly string[]
  readonly status: InboxStatus
  /** Our own words; never a provider's. */
  readonly statusReason: string | null
  /** IANA zone in which plain dates are read. */
  readonly timezone: string
  /** BCP 47 tag of the owner's language; decides nothing but our own wording. */
  readonly language: string
  /** Owner's choice where a server names no role: role to folder id. */
  readonly folderRoles: Readonly<Record<string, string>>
  /** authserv-ids whose Authentication-Results are believed, lower-case. */
  readonly authservIds: readonly string[]
  /** Rises with each new credential; pools key their connections by it. */
  readonly credentialVersion: number
  readonly lastSyncAt: Date | null
  readonly lastEventAt: Date | null
  readonly createdAt: Date
}
