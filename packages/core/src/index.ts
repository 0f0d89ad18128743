/**
 * What everything else stands on, and nothing that knows about mail.
 *
 * A `Fault` is the one error: a code from a closed table, a text for the agent and a separate one for the
 * log. A `Log` accepts only a closed set of fields, so that mail cannot reach it. Deadlines are absolute
 * instants that travel with a call: each layer asks how much is left rather than adding a timeout of its own.
 * `publicAddress` decides which addresses this service may dial on a stranger's word.
 */
export { assertNever } from './assert-never.ts'
export { systemClock, type Clock } from './clock.ts'
export { remainingMs, timeoutFault, withDeadline } from './deadline.ts'
export { editDistance } from './edit-distance.ts'
export { faultCodes, type FaultCode, type Retryable, type Whose } from './fault-codes.ts'
export { Fault, quote, toFault, type FaultDetails, type FaultInit } from './fault.ts'
export { isUuid, newId, newUuid, randomBase62 } from './id.ts'
export { createLog, redact, silentLog, type Log, type LogFields, type LogLevel } from './log.ts'
export { mapInTurns } from './map-in-turns.ts'
export { resolvePublicAddress, isPublicAddress, type ResolvedHost } from './public-address.ts'
export type { Signer } from './signer.ts'
export * from './write-stage.ts'
