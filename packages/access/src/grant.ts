import type { Scope } from './scopes.ts'

/** Scopes x inboxes x expiry. `inboxIds` null means every inbox of the tenant, also future ones; empty means none. */
export interface Grant {
  readonly scopes: ReadonlySet<Scope>
  readonly inboxIds: readonly string[] | null
  readonly expiresAt: Date | null
}
