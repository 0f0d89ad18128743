import type { IncomingHttpHeaders } from 'node:http'
import { asRpcMessage, isRecord, type RpcMessage } from './json-rpc.ts'
import { isLegacyRevision, isModernRevision } from './revisions.ts'

const revisionKey = 'io.modelcontextprotocol/protocolVersion'

/** Where the name that `Mcp-Name` repeats stands in the params of a request. */
const nameFields = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

/** What may stand in a header as it is; anything else would need an encoding we leave to the client. */
const headerSafe = /^[\x21-\x7e]{1,512}$/

export interface NormaliseOptions {
  /** Rule B: treat a modern header without an envelope as a legacy request. Fails a conformance demand, so off. */
  readonly toleratesModernHeader: boolean
}

/**
 * The headers the protocol layer gets to see, with what real clients get wrong put right. Only these five are
 * passed on at all: a stale `Mcp-Session-Id` has nothing to refer to, and no credential belongs there.
 *
 * Rule A stays narrow: a legacy version header beside a modern envelope is corrected from the body, and headers
 * that are *missing* are filled in. A header that contradicts the body otherwise is left to be refused; "the body
 * always wins" would void the validation that intermediaries rely on.
 */
export function normaliseHeaders(
  headers: IncomingHttpHeaders,
  body: unknown,
  { toleratesModernHeader }: NormaliseOptions,
): Headers {
  const message = asRpcMessage(body)
  const claimed = claimedRevision(message)
  const version = collapseRepeats(single(headers['mcp-protocol-version']))
  const result = new Headers()
  copy(result, 'content-type', headers['content-type'])
  // A legacy client that accepts one of the two types can read the JSON we answer with, whichever it named.
  copy(result, 'accept', claimed === undefined ? 'application/json, text/event-stream' : headers.accept)
  copy(result, 'mcp-method', single(headers['mcp-method']))
  copy(result, 'mcp-name', single(headers['mcp-name']))
  if (isLegacyRevision(version) && typeof claimed === 'string' && isModernRevision(claimed)) {
    result.set('mcp-protocol-version', claimed)
    fillMissing(result, message)
  } else if (!(toleratesModernHeader && isModernRevision(version) && lacksEnvelope(message, claimed))) {
    copy(result, 'mcp-protocol-version', version)
  }
  return result
}

function claimedRevision(message: RpcMessage | null): unknown {
  const params = message?.params
  const meta = isRecord(params) ? params['_meta'] : undefined
  return isRecord(meta) && Object.hasOwn(meta, revisionKey) ? meta[revisionKey] : undefined
}

/** `2025-11-25, 2025-11-25` is one version said twice; values that differ stay as they are and are refused. */
function collapseRepeats(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const parts = new Set(value.split(',').map((part) => part.trim()))
  const [first] = parts
  return parts.size === 1 ? first : value
}

function fillMissing(headers: Headers, message: RpcMessage | null): void {
  const method = message?.method
  if (typeof method !== 'string') return
  if (!headers.has('mcp-method')) copy(headers, 'mcp-method', safe(method))
  const field = nameFields.get(method)
  const params = message?.params
  if (field === undefined || headers.has('mcp-name') || !isRecord(params)) return
  copy(headers, 'mcp-name', safe(params[field]))
}

/** A request without any claim; `server/discover` is modern by definition, and notifications never carry one. */
function lacksEnvelope(message: RpcMessage | null, claimed: unknown): boolean {
  return message?.id !== undefined && message.method !== 'server/discover' && claimed === undefined
}

function safe(value: unknown): string | undefined {
  return typeof value === 'string' && headerSafe.test(value) ? value : undefined
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ')
}

function copy(headers: Headers, name: string, value: string | undefined): void {
  if (value !== undefined) headers.set(name, value)
}
