import { randomBytes, randomUUID } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `length` uniformly random base62 characters from the system's CSPRNG. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    // 248 = 4 * 62: bytes above it are dropped, so that no character is likelier than another.
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
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
