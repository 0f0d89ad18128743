import { withoutFields } from './raw-fields.ts'

const blindFields: ReadonlySet<string> = new Set(['bcc', 'resent-bcc'])

/**
 * The octets of a message as they go on the wire: without every Bcc field, the rest to the octet. The sender's own
 * copy keeps them.
 * Source: RFC 5322 3.6.3, first of its three ways.
 */
export function withoutBcc(octets: Uint8Array): Uint8Array {
  return withoutFields(octets, ({ name }) => blindFields.has(name))
}
