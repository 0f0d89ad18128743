import type { KeyRing } from '@postern/vault'

/** HMAC-SHA-256 of a key's secret under the pepper of one ring key; null when the ring no longer holds that. */
export function hashApiKey(keyRing: KeyRing, pepperKeyId: string, secret: string): Uint8Array | null {
  return keyRing.hmac('key-pepper', pepperKeyId, Buffer.from(secret, 'latin1'))
}
