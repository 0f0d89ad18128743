import { parseEnvelope } from './envelope.ts'

/** Id of the key an envelope needs, for a column that finds what a rotation has still to move; null if it is none. */
export function sealedKeyId(envelope: Uint8Array): string | null {
  return parseEnvelope(envelope)?.keyId ?? null
}
