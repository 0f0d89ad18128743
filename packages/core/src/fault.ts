import { faultCodes, type FaultCode } from './fault-codes.ts'
import { newId } from './id.ts'

/** Plain facts for the agent: ids, argument names, limits, counts. Never text from a mailbox or a provider. */
export type FaultDetails = Readonly<Record<string, unknown>>

export interface FaultInit {
  /** For the agent: what was wrong, whether anything changed, what to do next. Our own words and the caller's. */
  readonly public: string
  /** For the log only: provider text, status codes, whatever helps an operator. */
  readonly internal?: string
  readonly details?: FaultDetails
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/**
 * The one error of the system. Two texts in two fields, so that what a mail server said cannot leak
 * into what an agent reads: `message` holds the internal one and belongs to logs, `public` goes out.
 */
export class Fault extends Error {
  readonly code: FaultCode
  readonly public: string
  readonly internal: string | null
  readonly details: FaultDetails
  readonly retryAfterSeconds: number | null
  /** Look-up id that stands in the log line and, where there is an internal text, in the agent's `details`. */
  readonly reference: string

  constructor(code: FaultCode, init: FaultInit) {
    super(init.internal ?? init.public, init.cause === undefined ? undefined : { cause: init.cause })
    this.name = 'Fault'
    this.code = code
    this.public = init.public
    this.internal = init.internal ?? null
    this.details = init.details ?? {}
    this.retryAfterSeconds = init.retryAfterSeconds ?? null
    this.reference = newId('ref')
  }

  get whose(): (typeof faultCodes)[FaultCode]['whose'] {
    return faultCodes[this.code].whose
  }

  get http(): number {
    return faultCodes[this.code].http
  }
}

/** Anything thrown, as a Fault. What is not one becomes `internal_error`: an id for the agent, the cause for the log. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  return new Fault('internal_error', {
    public: 'Postern failed while answering this call. Nothing about the cause is known to be yours.',
    internal: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    cause: error,
  })
}

/**
 * A value the caller passed, for use inside a public text: one line, quoted, at most 80 characters.
 * Only for what this caller sent in this call; nothing from a mailbox or a server goes through it.
 */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : outlineOf(value)
  const line = text.slice(0, maxQuoted).replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
  const cut = Array.from(line).slice(0, 80).join('')
  return `"${cut}${cut.length < line.length || text.length > maxQuoted ? '...' : ''}"`
}

const maxQuoted = 1_000

/** JSON of a value without what lies two levels down: whoever sent it chose the depth, and that could be any. */
function outlineOf(value: unknown): string {
  let isOuter = true
  const outer = (_key: string, inner: unknown): unknown => {
    if (typeof inner === 'object' && inner !== null && !isOuter) return '...'
    isOuter = false
    return inner
  }
  return JSON.stringify(value, outer) ?? String(value)
}
