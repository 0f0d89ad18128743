import { digestOf, type Json as Plain } from '@postern/access'
import type { Json } from './define-tool.ts'

/** Arguments that hold addresses, or words to look for in them, which are compared without regard to case. */
const addressed: ReadonlySet<string> = new Set(['to', 'cc', 'bcc', 'from', 'reply_to'])

/**
 * What a repeated call is known by: the arguments as they were read, defaults filled in, the inbox by its id and the
 * domains of addresses in lower case, without the key itself.
 */
export function digestArgs({ idempotency_key: _, ...args }: Json, inboxId: string | null): Uint8Array {
  const entries = Object.entries(args as Readonly<Record<string, Plain>>).map(
    ([name, value]) => [name, addressed.has(name) ? withPlainDomains(value) : value] as const,
  )
  return digestOf({ ...Object.fromEntries(entries), inbox_id: inboxId })
}

/** RFC 5321 2.4: a domain is the same in every case; what stands before it may not be. */
function withPlainDomains(value: Plain): Plain {
  if (Array.isArray(value)) return value.map((one: Plain) => withPlainDomains(one))
  if (typeof value !== 'string') return value
  const at = value.lastIndexOf('@')
  return at === -1 ? value : `${value.slice(0, at)}${value.slice(at).toLowerCase()}`
}
