/**
 * PostgreSQL: tenants, inboxes, credentials, keys, audit, the ledger of writes. The only package that knows SQL.
 *
 * Every table belongs to tenants and forces row-level security. Services connect as two roles that own
 * nothing. `postern_app` sees the rows of the tenant that its transaction names and no others: `withTenant`
 * opens such a transaction and hands out a `TenantTrx`, which nothing else can make and every function here
 * takes first. `postern_system` sees a few columns of all tenants, for what comes before a tenant is known:
 * whose key is this (`system.ts`). The owner's role migrates and is not used to serve.
 *
 * Two kinds of connection. Transactions are lent from a pool. The reads of every call (the key, the inboxes,
 * the credential) share a few pipelined connections, on which a whole transaction is written in one go
 * (`lanes.ts`). Statements are prepared once per connection.
 *
 * Writes are claimed in the ledger before they act (`operation-ledger.ts`): of equal calls one acts, and a process
 * that died leaves behind whether it may have. None of its transactions is open while a mail server is at work.
 *
 * Files that wait to be attached are sealed in pieces (`bytes.ts`); links to files count their uses, and are good only
 * as long as the key that asked for them (`download-links.ts`).
 *
 * What is recorded about calls (audit, last use) is collected and written behind them (`batcher.ts`).
 *
 * `startEmbedded` runs a real server from the binaries that npm delivered, for machines without one; the
 * roles, the migrations and everything else are the same with a server of one's own.
 */
export * from './api-keys.ts'
export * from './approvals.ts'
export {
  addAuditEvents,
  createAuditWriter,
  listAuditEvents,
  type AuditPage,
  type AuditWriter,
} from './audit-events.ts'
export { authenticateApiKey } from './authenticate-api-key.ts'
export * from './bytes.ts'
export { claimOperation } from './claim-operation.ts'
export * from './credentials.ts'
export { openDatabase, pingDatabase, type Database, type DatabaseOptions, type RoleUrls } from './database.ts'
export * from './download-links.ts'
export {
  attachEmbedded,
  removeEmbedded,
  startEmbedded,
  type Embedded,
  type EmbeddedOptions,
} from './embedded.ts'
export { generateSchema } from './generate-schema.ts'
export { createInboxEvents } from './inbox-events.ts'
export * from './inboxes.ts'
export { issueApiKey, type ApiKeyRequest } from './issue-api-key.ts'
export { createKeyUses } from './key-uses.ts'
export type { LastTimes } from './last-times.ts'
export { getLivePrincipal } from './live-principal.ts'
export { migrate, withOwner, type MigrateOptions } from './migrate.ts'
export { listOperationItems, saveOperationItems } from './operation-items.ts'
export * from './operation-lease.ts'
export { createOperationLedger, type OperationLedgerOptions, type ProcessLedger } from './operation-ledger.ts'
export * from './operations.ts'
export { createPolicyDirectory } from './policy-directory.ts'
export * from './send-counts.ts'
export * from './send-policies.ts'
export { settleOperation } from './settle-operation.ts'
export {
  findApiKey,
  listDueApprovals,
  listTenants,
  listTenantsOfExpired,
  type DueApproval,
  type FoundApiKey,
  type TenantPage,
} from './system.ts'
export { withTenant, type TenantTrx } from './tenant.ts'
export { addTenant, getTenant, setTenantStatus, type TenantRecord } from './tenants.ts'
