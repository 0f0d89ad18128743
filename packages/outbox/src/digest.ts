import { createHash } from 'node:crypto'
import { withoutFields } from '@postern/mail'

/**
 * Hexadecimal SHA-256 of a message without its Date field: the same before and after the moment of sending is written
 * into it, another as soon as anything else changes.
 */
export function messageDigest(octets: Uint8Array): string {
  return createHash('sha256')
    .update(withoutFields(octets, ({ name }) => name === 'date'))
    .digest('hex')
}
