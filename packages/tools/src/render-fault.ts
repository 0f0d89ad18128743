import type { Outcome } from '@postern/access'
import { type Fault, faultCodes, type FaultDetails } from '@postern/core'
import { tokensOf } from './budget.ts'
import type { ToolResult } from './context.ts'
import type { Action, Json } from './define-tool.ts'

/** Tokens of an error. */
const maxErrorTokens = 400

/** What is known beside the fault itself. */
export interface FaultContext {
  /** How long the call took, queueing included; a timeout says it. */
  readonly seconds: number
  /** How a write ended that failed before its claim; one that failed behind it has its outcome among the details. */
  readonly outcome: Outcome | null
}

/**
 * A fault as an agent reads it: the same object in the text and in `_meta`, no `structuredContent` (a client
 * that validates output would hide the error behind its own). Only `public`, `details` and the table speak.
 */
export function renderFault(
  fault: Fault,
  action: Action | null,
  { seconds, outcome: early }: FaultContext,
): ToolResult {
  const { outcome = early, ...told } = fault.details
  const isRead = action === null || action.effect === 'read'
  const isTimeout = fault.code === 'timeout'
  const error = fitDetails({
    status: 'error',
    error_code: fault.code,
    message: isTimeout ? `${fault.public} It took ${seconds} s, waiting included.` : fault.public,
    fault: fault.whose,
    retryable: isRetryable(fault, isRead),
    ...(fault.retryAfterSeconds === null ? {} : { retry_after: fault.retryAfterSeconds }),
    ...(outcome === null ? {} : { outcome }),
    details: {
      ...told,
      ...(isTimeout ? { seconds } : {}),
      ...(fault.internal === null ? {} : { reference: fault.reference }),
    },
  })
  return {
    // Where answers are read as text, so are errors: what happened first, then what a program looks for.
    content: [
      {
        type: 'text',
        text:
          action === null || action.prose === null
            ? JSON.stringify(error)
            : `${String(error['message'])}\n${JSON.stringify(error)}`,
      },
    ],
    isError: true,
    _meta: { 'postern/error': error },
  }
}

/** `send_refused` is of two kinds: a refusal that passes (RFC 5321 4.2.1, 4yz) says after how long to come again. */
function isRetryable({ code, retryAfterSeconds }: Fault, isRead: boolean): boolean {
  const { retryable } = faultCodes[code]
  if (code === 'send_refused') return retryAfterSeconds !== null
  return retryable === 'yes' || (retryable === 'reads' && isRead)
}

/** The longest lists of the details lose their last items until the error fits; `omitted` counts those. */
function fitDetails({ details, ...error }: Json & { readonly details: FaultDetails }): Json {
  let kept = details
  let omitted = 0
  for (;;) {
    const told = omitted === 0 ? kept : { ...kept, omitted }
    const whole = Object.keys(told).length === 0 ? error : { ...error, details: told }
    if (tokensOf(whole) <= maxErrorTokens) return whole
    const [name, list] =
      Object.entries(kept)
        .filter((item): item is [string, unknown[]] => Array.isArray(item[1]) && item[1].length > 0)
        .sort(([, a], [, b]) => tokensOf(b) - tokensOf(a))[0] ?? []
    // Nothing left to leave out: texts of our own, and what the caller passed, are short.
    if (name === undefined || list === undefined) return whole
    kept = { ...kept, [name]: list.slice(0, -1) }
    omitted += 1
  }
}
