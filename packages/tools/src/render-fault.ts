import { type Fault, faultCodes } from '@postern/core'
import type { ToolResult } from './context.ts'
import type { Action } from './define-tool.ts'

/**
 * A fault as an agent reads it: the same object in the text and in `_meta`, no `structuredContent` (a client
 * that validates output would hide the error behind its own). Only `public`, `details` and the table speak.
 */
export function renderFault(fault: Fault, action: Action | null): ToolResult {
  const entry = faultCodes[fault.code]
  const isRead = action === null || action.effect === 'read'
  const details = fault.internal === null ? fault.details : { ...fault.details, reference: fault.reference }
  const error = {
    status: 'error',
    error_code: fault.code,
    message: fault.public,
    fault: entry.whose,
    retryable: entry.retryable === 'yes' || (entry.retryable === 'reads' && isRead),
    ...(fault.retryAfterSeconds === null ? {} : { retry_after: fault.retryAfterSeconds }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  }
  return {
    content: [{ type: 'text', text: JSON.stringify(error) }],
    isError: true,
    _meta: { 'postern/error': error },
  }
}
