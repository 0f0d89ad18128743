/**
 * A keyed MAC for one purpose (message ids, cursors). The first key signs, every key verifies, so that a
 * rotation breaks nothing that was handed out before it.
 */
export interface Signer {
  /** HMAC-SHA-256 of `data`, 32 octets; callers may cut it, not below 10. */
  sign(data: Uint8Array): Uint8Array
  /** Compares in constant time against each key; `mac` may be a prefix of at least 10 octets. */
  verifies(data: Uint8Array, mac: Uint8Array): boolean
}
