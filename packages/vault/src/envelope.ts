/**
 * The parts of a sealed secret. Boxes are nonce, tag and ciphertext of AES-256-GCM in one piece; the wrapped
 * key is the data key under the ring's key `keyId`, the payload is the secret under the data key.
 */
export interface Sealed {
  readonly keyId: string
  readonly wrappedKey: Uint8Array
  readonly payload: Uint8Array
}

export const nonceBytes = 12
export const tagBytes = 16

const version = 1
const wrappedKeyBytes = nonceBytes + tagBytes + 32
const minPayloadBytes = nonceBytes + tagBytes

/** version (1), length of key id (1), key id, wrapped key (60), payload. */
export function renderEnvelope({ keyId, wrappedKey, payload }: Sealed): Uint8Array {
  const id = Buffer.from(keyId, 'latin1')
  return Buffer.concat([Uint8Array.of(version, id.length), id, wrappedKey, payload])
}

/** The parts, or null for octets that no version of this code wrote. */
export function parseEnvelope(envelope: Uint8Array): Sealed | null {
  const [first, idBytes] = envelope
  if (first !== version || idBytes === undefined || idBytes === 0) return null
  const keyStart = 2 + idBytes
  const payloadStart = keyStart + wrappedKeyBytes
  if (envelope.length < payloadStart + minPayloadBytes) return null
  return {
    keyId: Buffer.from(envelope.subarray(2, keyStart)).toString('latin1'),
    wrappedKey: envelope.subarray(keyStart, payloadStart),
    payload: envelope.subarray(payloadStart),
  }
}
