import { createHash } from 'node:crypto'

/** A value as JSON knows it. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

/**
 * JSON with the names of each object in order of their code units and without what is undefined: equal values have
 * equal text (RFC 8785 3.2.3 for the order; numbers and strings as JSON.stringify writes them).
 */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_name, inner: Json) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? sorted(inner) : inner,
  )
}

function sorted(value: object): Readonly<Record<string, unknown>> {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  // Without a prototype: `__proto__` is a name like any other.
  return Object.assign(Object.create(null) as Record<string, unknown>, Object.fromEntries(entries))
}

/** SHA-256 of the arguments of a call, 32 octets; the idempotency key is not among them. */
export function digestOf(args: Readonly<Record<string, Json>>): Uint8Array {
  const { idempotency_key: _, ...rest } = args
  return createHash('sha256').update(canonicalJson(rest)).digest()
}
