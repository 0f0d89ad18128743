import type { Effect } from './scopes.ts'

/** The record of one call, allowed, denied or failed. Never a subject, a body, an address or an argument. */
export interface AuditEvent {
  readonly eventId: string
  readonly tenantId: string
  readonly principalId: string | null
  readonly inboxId: string | null
  readonly requestId: string
  /** `email_read.search`, `inbox.connect`, ... */
  readonly operation: string
  readonly effect: Effect
  readonly outcome: 'ok' | 'denied' | 'failed'
  readonly faultCode: string | null
  readonly durationMs: number
  readonly at: Date
}
