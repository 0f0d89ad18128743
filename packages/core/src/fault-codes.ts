/** Whose move it is after a fault: the calling agent's, the mailbox owner's, a policy's, the provider's, or ours. */
export type Whose = 'caller' | 'owner' | 'policy' | 'provider' | 'postern'

/** `reads`: repeating a read is safe and may help; a write is decided by its outcome instead. */
export type Retryable = 'no' | 'yes' | 'reads'

interface FaultCodeEntry {
  readonly whose: Whose
  /** HTTP status where a fault leaves through an HTTP door; inside a tool result the status is 200. */
  readonly http: number
  readonly retryable: Retryable
}

/**
 * Every code an agent can meet. A code is never removed or reused; texts may improve.
 * The texts belong to the place that throws, because only it knows the values.
 */
export const faultCodes = {
  unauthenticated: { whose: 'caller', http: 401, retryable: 'no' },
  insufficient_scope: { whose: 'caller', http: 403, retryable: 'no' },
  rate_limit_exceeded: { whose: 'caller', http: 429, retryable: 'yes' },
  service_busy: { whose: 'postern', http: 503, retryable: 'yes' },
  unknown_tool: { whose: 'caller', http: 404, retryable: 'no' },

  invalid_arguments: { whose: 'caller', http: 400, retryable: 'no' },
  missing_argument: { whose: 'caller', http: 400, retryable: 'no' },
  unknown_argument: { whose: 'caller', http: 400, retryable: 'no' },
  argument_not_allowed: { whose: 'caller', http: 400, retryable: 'no' },
  conflicting_arguments: { whose: 'caller', http: 400, retryable: 'no' },

  inbox_required: { whose: 'caller', http: 400, retryable: 'no' },
  inbox_not_found: { whose: 'caller', http: 404, retryable: 'no' },
  inbox_mismatch: { whose: 'caller', http: 400, retryable: 'no' },
  inbox_reconnect_required: { whose: 'owner', http: 409, retryable: 'no' },
  inbox_disabled: { whose: 'policy', http: 403, retryable: 'no' },

  operation_not_found: { whose: 'caller', http: 404, retryable: 'no' },
  operation_in_progress: { whose: 'caller', http: 409, retryable: 'yes' },
  idempotency_conflict: { whose: 'caller', http: 409, retryable: 'no' },

  message_not_found: { whose: 'caller', http: 404, retryable: 'no' },
  draft_not_found: { whose: 'caller', http: 404, retryable: 'no' },
  draft_stale: { whose: 'caller', http: 409, retryable: 'no' },
  draft_no_recipients: { whose: 'caller', http: 400, retryable: 'no' },
  folder_not_found: { whose: 'caller', http: 404, retryable: 'no' },
  folder_ambiguous: { whose: 'caller', http: 409, retryable: 'no' },
  folder_role_missing: { whose: 'caller', http: 404, retryable: 'no' },
  folder_name_taken: { whose: 'caller', http: 409, retryable: 'no' },
  folder_name_reserved: { whose: 'caller', http: 400, retryable: 'no' },
  folder_provider_error: { whose: 'provider', http: 502, retryable: 'no' },
  attachment_not_found: { whose: 'caller', http: 404, retryable: 'no' },
  attachment_ambiguous: { whose: 'caller', http: 409, retryable: 'no' },
  attachment_too_large: { whose: 'caller', http: 413, retryable: 'no' },
  extraction_unsupported: { whose: 'caller', http: 422, retryable: 'no' },

  contact_not_found: { whose: 'caller', http: 404, retryable: 'no' },
  contact_conflict: { whose: 'caller', http: 409, retryable: 'no' },
  contact_handle_stale: { whose: 'caller', http: 409, retryable: 'no' },

  message_too_large: { whose: 'caller', http: 413, retryable: 'no' },
  result_too_large: { whose: 'caller', http: 413, retryable: 'no' },

  query_syntax: { whose: 'caller', http: 400, retryable: 'no' },
  query_unsupported: { whose: 'caller', http: 400, retryable: 'no' },
  empty_filter: { whose: 'caller', http: 400, retryable: 'no' },
  query_too_broad: { whose: 'caller', http: 413, retryable: 'no' },
  search_incomplete: { whose: 'provider', http: 502, retryable: 'yes' },
  search_not_exact: { whose: 'caller', http: 422, retryable: 'no' },
  cursor_invalid: { whose: 'caller', http: 400, retryable: 'no' },
  cursor_expired: { whose: 'caller', http: 400, retryable: 'no' },

  recipient_invalid: { whose: 'caller', http: 400, retryable: 'no' },
  too_many_recipients: { whose: 'caller', http: 400, retryable: 'no' },
  recipient_not_allowed: { whose: 'policy', http: 403, retryable: 'no' },
  sender_not_allowed: { whose: 'policy', http: 403, retryable: 'no' },
  send_cap_reached: { whose: 'policy', http: 429, retryable: 'yes' },
  approval_expired: { whose: 'policy', http: 409, retryable: 'no' },
  source_unavailable: { whose: 'provider', http: 502, retryable: 'yes' },
  compose_failed: { whose: 'postern', http: 500, retryable: 'yes' },
  send_refused: { whose: 'provider', http: 502, retryable: 'no' },

  capability_unavailable: { whose: 'provider', http: 422, retryable: 'no' },
  provider_rate_limited: { whose: 'provider', http: 503, retryable: 'yes' },
  provider_unavailable: { whose: 'provider', http: 503, retryable: 'yes' },
  provider_error: { whose: 'provider', http: 502, retryable: 'no' },
  timeout: { whose: 'provider', http: 504, retryable: 'reads' },
  internal_error: { whose: 'postern', http: 500, retryable: 'reads' },
} as const satisfies Record<string, FaultCodeEntry>

export type FaultCode = keyof typeof faultCodes
