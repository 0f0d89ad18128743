import {
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto'
import { Fault, randomBase62, type Signer } from '@postern/core'

/** What keys are used for. Each purpose has its own subkey, so that no use can stand in for another. */
export const keyPurposes = [
  'vault',
  'key-pepper',
  'cursors',
  'ids',
  'idempotency',
  'cookies',
  'downloads',
] as const
export type KeyPurpose = (typeof keyPurposes)[number]

/** Secret keys by id. The first seals and signs, all open and verify. Holds no key in a readable property. */
export interface KeyRing {
  /** Id of the key that seals and signs. */
  readonly currentKeyId: string
  readonly keyIds: readonly string[]
  /** HMAC-SHA-256 under the subkey of one key, 32 octets; null when the ring no longer holds that key. */
  hmac(purpose: KeyPurpose, keyId: string, data: Uint8Array): Uint8Array | null
  signer(purpose: KeyPurpose): Signer
  /** The subkey of one key, for ciphers; null when the ring no longer holds that key. */
  subkey(purpose: KeyPurpose, keyId: string): KeyObject | null
}

const keyBytes = 32
const maxKeys = 16
// Below this a MAC is guessable in the time a service lives.
const minMacBytes = 10
const idShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/
const base64Shape = /^[A-Za-z0-9+/_-]{43}=?$/

/**
 * Reads `id:base64key,id:base64key`: ids of at most 32 letters, digits, `.`, `_` or `-`, keys of 32 octets in
 * base64 or base64url.
 * @throws invalid_arguments naming every problem by the position and id of its entry, never by a value;
 * `details.problems` has them one by one.
 */
export function createKeyRing(text: string): KeyRing {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  const problems: string[] = entries.length > maxKeys ? [`there are more than ${String(maxKeys)} keys`] : []
  if (entries.length === 0) problems.push('there is no key')
  const keys = new Map<string, Uint8Array>()
  for (const [index, entry] of entries.slice(0, maxKeys).entries()) {
    const parsed = parseEntry(entry, `key ${String(index + 1)}`, keys)
    if (typeof parsed === 'string') problems.push(parsed)
    else keys.set(parsed.id, parsed.key)
  }
  if (problems.length > 0) {
    throw new Fault('invalid_arguments', {
      public: `The secret keys cannot be used: ${problems.join('; ')}. Each is id:key, the key being 32 random octets in base64.`,
      details: { problems },
    })
  }
  return ringOf(keys)
}

/** A new entry for `POSTERN_SECRET_KEYS`: a random id, a colon, 32 random octets in base64. */
export function generateKey(): string {
  return `k${randomBase62(7)}:${randomBytes(keyBytes).toString('base64')}`
}

function parseEntry(
  entry: string,
  name: string,
  known: ReadonlyMap<string, Uint8Array>,
): { id: string; key: Uint8Array } | string {
  const colon = entry.indexOf(':')
  // An entry without a colon may be a bare key: it is not repeated.
  if (colon < 0) return `${name} has no id`
  const id = entry.slice(0, colon)
  if (!idShape.test(id)) return `${name} has an id of other than 1 to 32 letters, digits, dots or dashes`
  const encoded = entry.slice(colon + 1)
  if (!base64Shape.test(encoded)) return `${name} (${id}) is not 32 octets in base64`
  const key = Buffer.from(encoded, 'base64')
  if (key.length !== keyBytes) return `${name} (${id}) is not 32 octets in base64`
  if (new Set(key).size < 8) return `${name} (${id}) is not random`
  if (known.has(id)) return `${name} has the id of an earlier one (${id})`
  for (const other of known.values()) {
    if (timingSafeEqual(other, key)) return `${name} (${id}) repeats an earlier key under another id`
  }
  return { id, key }
}

function ringOf(keys: ReadonlyMap<string, Uint8Array>): KeyRing {
  const subkeys = new Map<string, KeyObject>()
  for (const [id, key] of keys) {
    for (const purpose of keyPurposes) subkeys.set(`${purpose}:${id}`, derive(key, purpose))
  }
  const keyIds = [...keys.keys()]
  const currentKeyId = keyIds[0] ?? ''
  const subkey = (purpose: KeyPurpose, keyId: string): KeyObject | null =>
    subkeys.get(`${purpose}:${keyId}`) ?? null
  const hmac = (purpose: KeyPurpose, keyId: string, data: Uint8Array): Uint8Array | null => {
    const key = subkey(purpose, keyId)
    return key === null ? null : mac(key, data)
  }
  const signer = (purpose: KeyPurpose): Signer => {
    const all = keyIds.flatMap((id) => subkey(purpose, id) ?? [])
    return signerOf(all)
  }
  return { currentKeyId, keyIds, hmac, signer, subkey }
}

function signerOf(keys: readonly KeyObject[]): Signer {
  const [current] = keys
  if (current === undefined) throw new RangeError('a signer needs a key')
  return {
    sign: (data) => mac(current, data),
    verifies: (data, given) => {
      if (given.length < minMacBytes || given.length > keyBytes) return false
      // Every key is tried, so that the time does not tell which one matched.
      const matches = keys.filter((key) => timingSafeEqual(mac(key, data).subarray(0, given.length), given))
      return matches.length > 0
    },
  }
}

function mac(key: KeyObject, data: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(data).digest()
}

/** RFC 5869 with an empty salt: the input is uniformly random, and the purpose in `info` separates the outputs. */
function derive(key: Uint8Array, purpose: KeyPurpose): KeyObject {
  return createSecretKey(
    Buffer.from(hkdfSync('sha256', key, new Uint8Array(0), `postern/1/${purpose}`, keyBytes)),
  )
}
