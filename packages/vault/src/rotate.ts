import { parseEnvelope } from './envelope.ts'
import type { KeyRing } from './key-ring.ts'
import { rewrapEnvelope, type SealContext } from './seal.ts'

/**
 * Moves one envelope to the ring's current key. The payload is not decrypted and its octets stay as they are.
 * @returns null when it is under the current key already, so that a second run writes nothing.
 * @throws internal_error when the envelope cannot be opened in this context.
 */
export function rotate(keyRing: KeyRing, envelope: Uint8Array, context: SealContext): Uint8Array | null {
  if (parseEnvelope(envelope)?.keyId === keyRing.currentKeyId) return null
  return rewrapEnvelope(keyRing, envelope, context)
}
