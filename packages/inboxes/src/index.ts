/**
 * An inbox from the owner's first password to the adapter that a tool calls.
 *
 * Connecting tries the credential first and stores it only when it works, sealed for this tenant and this
 * inbox. Opening reads the sealed credential in one short transaction, opens it, and asks the provider table
 * for an adapter; no transaction is open while a provider is awaited, and nothing is dialled before the first
 * verb. Every opened adapter is watched: when a mailbox answers its owner can see when it did, and when it
 * refuses its credential the inbox asks to be reconnected, instead of looking empty.
 */
export { changeInbox } from './change-inbox.ts'
export { connectInbox, type Connected, type ConnectDeps, type ConnectRequest } from './connect-inbox.ts'
export { disconnectInbox, type DisconnectDeps } from './disconnect-inbox.ts'
export { createInboxHealth, type HealthReport, type InboxHealth, type WatchedInbox } from './inbox-health.ts'
export { createInboxOpener, type InboxOpener, type InboxOpenerDeps } from './open-inbox.ts'
export { toProviderKind } from './provider-kind.ts'
