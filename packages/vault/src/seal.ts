import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto'
import { Fault } from '@postern/core'
import { parseEnvelope, renderEnvelope, tagBytes, nonceBytes, type Sealed } from './envelope.ts'
import type { KeyRing } from './key-ring.ts'

/** What a sealed secret belongs to. All of it is authenticated, so that a row copied elsewhere does not open. */
export interface SealContext {
  /** Null only for what belongs to the installation itself. */
  readonly tenantId: string | null
  readonly inboxId: string | null
  /** What the secret is for: `mail`, `role-password`. */
  readonly purpose: string
}

const cipher = 'aes-256-gcm'
const dataKeyBytes = 32

/**
 * Encrypts under a data key of its own (AES-256-GCM), which is wrapped by the ring's current key.
 * The envelope names that key, so that it opens after the ring has been rotated.
 */
export function seal(keyRing: KeyRing, plaintext: Uint8Array, context: SealContext): Uint8Array {
  const dataKey = randomBytes(dataKeyBytes)
  const payload = encrypt(dataKey, plaintext, additionalData('payload', context))
  const sealed = { ...wrap(keyRing, dataKey, context), payload }
  dataKey.fill(0)
  return renderEnvelope(sealed)
}

/**
 * Decrypts what `seal` made for the same context.
 * @throws internal_error when the envelope is damaged, belongs elsewhere, or names a key the ring lacks;
 * the cases differ in the internal text only.
 */
export function open(keyRing: KeyRing, envelope: Uint8Array, context: SealContext): Uint8Array {
  const sealed = parseEnvelope(envelope)
  if (sealed === null) throw cannotOpen('not an envelope')
  const dataKey = unwrap(keyRing, sealed, context)
  try {
    const plaintext = decrypt(dataKey, sealed.payload, additionalData('payload', context))
    if (plaintext === null) throw cannotOpen('payload does not authenticate')
    return plaintext
  } finally {
    dataKey.fill(0)
  }
}

/** The same payload under the ring's current key; only the wrapped data key changes. @throws as `open`. */
export function rewrapEnvelope(keyRing: KeyRing, envelope: Uint8Array, context: SealContext): Uint8Array {
  const sealed = parseEnvelope(envelope)
  if (sealed === null) throw cannotOpen('not an envelope')
  const dataKey = unwrap(keyRing, sealed, context)
  const rewrapped = { ...wrap(keyRing, dataKey, context), payload: sealed.payload }
  dataKey.fill(0)
  return renderEnvelope(rewrapped)
}

function wrap(
  keyRing: KeyRing,
  dataKey: Uint8Array,
  context: SealContext,
): Pick<Sealed, 'keyId' | 'wrappedKey'> {
  const keyId = keyRing.currentKeyId
  const key = keyRing.subkey('vault', keyId)
  if (key === null) throw cannotOpen('the ring lacks its current key')
  return { keyId, wrappedKey: encrypt(key, dataKey, additionalData('data-key', context)) }
}

function unwrap(keyRing: KeyRing, sealed: Sealed, context: SealContext): Uint8Array {
  const key = keyRing.subkey('vault', sealed.keyId)
  if (key === null) throw cannotOpen(`sealed under key ${sealed.keyId}, which is not in POSTERN_SECRET_KEYS`)
  const dataKey = decrypt(key, sealed.wrappedKey, additionalData('data-key', context))
  if (dataKey === null) throw cannotOpen('data key does not authenticate: damaged, or of another row')
  return dataKey
}

/** nonce, tag, ciphertext. NIST SP 800-38D 8.2.2: random 96-bit nonces, far below 2^32 uses of one key. */
function encrypt(key: Uint8Array | KeyObject, plaintext: Uint8Array, aad: Uint8Array): Uint8Array {
  const nonce = randomBytes(nonceBytes)
  const stream = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  stream.setAAD(aad)
  const octets = Buffer.concat([stream.update(plaintext), stream.final()])
  return Buffer.concat([nonce, stream.getAuthTag(), octets])
}

function decrypt(key: Uint8Array | KeyObject, box: Uint8Array, aad: Uint8Array): Uint8Array | null {
  const nonce = box.subarray(0, nonceBytes)
  const stream = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  stream.setAAD(aad)
  stream.setAuthTag(box.subarray(nonceBytes, nonceBytes + tagBytes))
  const first = stream.update(box.subarray(nonceBytes + tagBytes))
  try {
    return Buffer.concat([first, stream.final()])
  } catch {
    return null // the one thing final() refuses is a tag that does not match
  }
}

/** Each field is preceded by its length, so that no two contexts share an encoding; an absent one is not an empty one. */
function additionalData(layer: 'payload' | 'data-key', context: SealContext): Uint8Array {
  const fields = [layer, context.tenantId?.toLowerCase(), context.inboxId?.toLowerCase(), context.purpose]
  return Buffer.concat(
    fields.flatMap((field) => {
      if (field === undefined) return [Uint8Array.of(0xff, 0xff)]
      const octets = Buffer.from(field, 'utf8')
      const length = Buffer.alloc(2)
      length.writeUInt16BE(octets.length)
      return [length, octets]
    }),
  )
}

function cannotOpen(internal: string): Fault {
  return new Fault('internal_error', {
    public:
      'A stored secret cannot be opened. Nothing was done; the operator has to look at the secret keys of this service.',
    internal,
  })
}
