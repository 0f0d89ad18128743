/**
 * Who may do what, and the record of who did. Pure: no database, no clock of its own, no network.
 *
 * A principal holds a grant: scopes x inboxes x expiry. Scopes belong to actions, not to tools. An inbox the
 * grant does not reach is absent rather than forbidden, so that no answer confirms that it exists. The ports
 * in `ports.ts` are what tools need of the store; `wire.ts` of each app binds them.
 */
export * from './api-key.ts'
export * from './approval.ts'
export * from './audit-event.ts'
export * from './authorize.ts'
export * from './canonical.ts'
export * from './carry-out-approval.ts'
export * from './grant.ts'
export * from './inbox-record.ts'
export * from './limits.ts'
export * from './operation-not-found.ts'
export * from './operation.ts'
export * from './outcome.ts'
export * from './ports.ts'
export * from './principal.ts'
export * from './scopes.ts'
