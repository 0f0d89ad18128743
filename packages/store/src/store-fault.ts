import { Fault, toFault } from '@postern/core'

// PostgreSQL, appendix A: connection exceptions, too many connections, shutdown and start-up of the server.
const unavailable = /^(?:08...|53300|57P0[123])$/
// Class 53: a disk that is full, no memory, too many files. The row was fine and is worth another attempt.
const exhausted = /^53[124]..$/
const socket = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
])
const driver =
  /^(?:Connection terminated|Query read timeout|timeout e|Client has encountered a connection error|Client was closed)/

/**
 * Anything that PostgreSQL or its driver threw, as a Fault. A database that cannot be reached or has no room is
 * `service_busy`: nothing is wrong with the call, and repeating it may help. The internal text has SQLSTATE
 * and message, never the detail line, which repeats values.
 */
export function storeFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  const code = sqlState(error) ?? ''
  const message = error instanceof Error ? error.message : String(error)
  const internal = `database ${code}: ${message}`
  if (isUnreachable(error)) {
    return new Fault('service_busy', {
      public:
        'The service cannot reach its database just now. Nothing was done; repeat the call in a few seconds.',
      internal,
      retryAfterSeconds: 2,
    })
  }
  if (exhausted.test(code)) {
    return new Fault('service_busy', {
      public:
        'The service cannot store anything just now, because the disk or the memory of its database is full. ' +
        'Nothing was done; repeat the call when there is room again.',
      internal,
      retryAfterSeconds: 10,
    })
  }
  // Not the error itself as the cause: PostgreSQL's has a detail line, which repeats values.
  return toFault(new Error(internal))
}

/** SQLSTATE, or the system's code of a socket error; null when there is none. */
export function sqlState(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/** Whether the statement may never have reached the server, so that another connection may succeed. */
export function isUnreachable(error: unknown): boolean {
  const code = sqlState(error)
  if (code !== null) return unavailable.test(code) || socket.has(code)
  // A refused connection to several addresses comes as one error without a code of its own.
  if (error instanceof AggregateError) return error.errors.some(isUnreachable)
  return error instanceof Error && driver.test(error.message)
}

/** Name of the constraint that a row violated, null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  const isViolation = sqlState(error)?.startsWith('23') ?? false
  if (!isViolation || !(error instanceof Error) || !('constraint' in error)) return null
  return typeof error.constraint === 'string' ? error.constraint : null
}
