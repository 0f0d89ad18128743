// Written by `npm run gen` from the migrated database. Change a migration, not this file.
import type { ColumnType } from 'kysely'

export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>

/** An octet string: the driver takes any Uint8Array and gives a Buffer. */
export type Bytes = ColumnType<Buffer, Uint8Array, Uint8Array>

/** jsonb: read as what it is, written as JSON text. */
export type Json = ColumnType<unknown, string, string>

export interface ApiKeys {
  tenant_id: string
  api_key_id: string
  name: string
  lookup: string
  secret_hmac: Bytes
  pepper_key_id: string
  scopes: string[]
  inbox_ids: string[] | null
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  created_at: Generated<Date>
}

export interface ApprovalPieces {
  tenant_id: string
  approval_id: string
  position: number
  envelope: Bytes
}

export interface Approvals {
  tenant_id: string
  approval_id: string
  operation_id: string
  inbox_id: string
  principal_id: string
  kind: string
  digest: Bytes
  status: Generated<string>
  closed_at: Date | null
  held_at: Date
  expires_at: Date
  decided_at: Date | null
  decided_by: string | null
  reason: string | null
}

export interface AuditEvents {
  tenant_id: string
  at: Date
  event_id: string
  principal_id: string | null
  inbox_id: string | null
  request_id: string
  operation: string
  effect: string
  outcome: string
  fault_code: string | null
  duration_ms: number
}

export interface Credentials {
  tenant_id: string
  inbox_id: string
  purpose: string
  version: number
  envelope: Bytes
  key_id: string
  updated_at: Generated<Date>
}

export interface DownloadLinks {
  tenant_id: string
  link_id: Bytes
  principal_id: string
  inbox_id: string
  message_id: string
  part_id: string | null
  uses_left: number
  expires_at: Date
}

export interface Inboxes {
  tenant_id: string
  inbox_id: string
  provider: string
  service: string | null
  email_address: string
  display_name: string | null
  aliases: Generated<string[]>
  status: Generated<string>
  status_reason: string | null
  timezone: Generated<string>
  language: Generated<string>
  folder_roles: Generated<Json>
  authserv_ids: Generated<string[]>
  credential_version: Generated<number>
  last_sync_at: Date | null
  last_event_at: Date | null
  created_at: Generated<Date>
}

export interface OperationItems {
  tenant_id: string
  operation_id: string
  before_locators: Bytes[]
  after_locators: Bytes[]
  statuses: string[]
  marks: Json[]
}

export interface Operations {
  tenant_id: string
  operation_id: string
  principal_id: string
  operation: string
  inbox_id: string | null
  key_hmac: Bytes | null
  digest_hmac: Bytes
  hmac_key_id: string
  stage: Generated<string>
  outcome: string | null
  fault_code: string | null
  lease_owner: string
  lease_until: Date
  result: Json | null
  rfc_message_id: string | null
  resolution: Json | null
  created_at: Date
  updated_at: Date
  resolved_at: Date | null
  undone_at: Date | null
  checked_at: Date | null
  undone_by: string | null
  counted_at: Date | null
}

export interface SealedChunks {
  tenant_id: string
  file_id: string
  position: number
  envelope: Bytes
}

export interface SealedFiles {
  tenant_id: string
  file_id: string
  principal_id: string
  size_bytes: number
  header: Bytes | null
  created_at: Date
  expires_at: Date
}

export interface SendPolicies {
  tenant_id: string
  inbox_id: string
  principal_id: string | null
  recipient_rules: Json | null
  sends_per_day: number | null
  send_approval: Generated<boolean>
  bulk_review: Generated<boolean>
  updated_at: Date
}

export interface Tenants {
  tenant_id: string
  name: string
  status: Generated<string>
  plan: string
  created_at: Generated<Date>
}

export interface DB {
  api_keys: ApiKeys
  approval_pieces: ApprovalPieces
  approvals: Approvals
  audit_events: AuditEvents
  credentials: Credentials
  download_links: DownloadLinks
  inboxes: Inboxes
  operation_items: OperationItems
  operations: Operations
  sealed_chunks: SealedChunks
  sealed_files: SealedFiles
  send_policies: SendPolicies
  tenants: Tenants
}
