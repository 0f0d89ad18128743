/**
 * Keys, seals and signatures. Nothing here knows what a secret is for, beyond its name.
 *
 * An installation has a list of secret keys, each with an id. The first seals and signs, all open and verify:
 * to rotate, put a new key in front, move what is stored (`rotate`), and drop the old one when nothing names
 * it any more. From each key a subkey is derived per purpose (RFC 5869), so that a message id can never be
 * replayed as a cursor, nor a cursor as a cookie.
 *
 * A sealed secret is an envelope: the secret under a data key of its own, and that data key under a key of
 * the ring whose id stands in the envelope. Tenant, inbox and purpose are authenticated with both, so that a
 * row copied to another tenant does not open. Rotation rewraps data keys and leaves payloads alone.
 */
export { createKeyRing, generateKey, keyPurposes, type KeyPurpose, type KeyRing } from './key-ring.ts'
export { open, seal, type SealContext } from './seal.ts'
export { rotate } from './rotate.ts'
export { sealedKeyId } from './sealed-key-id.ts'
