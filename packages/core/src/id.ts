import { randomFillSync, randomUUID } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// Octets fetched ahead: every call needs some ids, and each fetch is a trip to the system.
const pool = new Uint8Array(4_096)
let used = pool.length

/** An octet nobody else gets; it is wiped from the pool, so that a later look at memory does not find it. */
function randomOctet(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const octet = pool[used] ?? 0
  pool[used] = 0
  used += 1
  return octet
}

/** `length` uniformly random base62 characters from the system's CSPRNG. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    const octet = randomOctet()
    // 248 = 4 * 62: octets above it are dropped, so that no character is likelier than another.
    if (octet < 248) text += alphabet.charAt(octet % 62)
  }
  return text
}

/** `prefix_` and 20 random base62 characters (about 119 bits). */
export function newId(prefix: string): string {
  return `${prefix}_${randomBase62(20)}`
}

/** A random UUID, for rows whose public id is a bare UUID (`inbox_id`, tenants). */
export function newUuid(): string {
  return randomUUID()
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** True for the 36-character text form of a UUID, any version, any case. */
export function isUuid(text: string): boolean {
  return uuidShape.test(text)
}
