import { createHash, timingSafeEqual } from 'node:crypto'
import { randomBase62 } from '@postern/core'

const shape = /^pst_live_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

/** The two halves of a well-formed key: `lookup` finds the row, `secret` proves the right to it. */
export interface ParsedApiKey {
  readonly lookup: string
  readonly secret: string
}

/** A new key, `pst_live_<lookup 12>_<secret 32><checksum 6>`: about 190 bits of secret. Shown once, never stored. */
export function generateApiKey(): ParsedApiKey & { readonly key: string } {
  const lookup = randomBase62(12)
  const secret = randomBase62(32)
  return { lookup, secret, key: `pst_live_${lookup}_${secret}${checksum(lookup, secret)}` }
}

/** True for anything that claims to be one of our keys, so that it never gets an OAuth challenge. */
export function isKeyShaped(token: string): boolean {
  return token.startsWith('pst_')
}

/** The halves of a key whose shape and checksum are right, else null: a typing error costs no database call. */
export function parseApiKey(token: string): ParsedApiKey | null {
  const match = shape.exec(token)
  if (match === null) return null
  const [, lookup = '', secret = '', sum = ''] = match
  return checksum(lookup, secret) === sum ? { lookup, secret } : null
}

/** Compares a stored HMAC with a computed one in constant time; lengths that differ are unequal. */
export function verifyApiKey(stored: Uint8Array, computed: Uint8Array): boolean {
  return stored.length === computed.length && timingSafeEqual(stored, computed)
}

function checksum(lookup: string, secret: string): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const digest = createHash('sha256').update(`pst_live_${lookup}_${secret}`).digest()
  return [...digest.subarray(0, 6)].map((octet) => alphabet.charAt(octet % 62)).join('')
}
