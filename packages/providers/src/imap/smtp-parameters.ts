import { isAscii } from 'node:buffer'
import type { ComposedMessage } from '@postern/mail'
import { smtpSizeLimit, type SmtpExtensions } from './smtp-extensions.ts'
import { messageTooLarge, needsEightBit, needsSmtpUtf8 } from './smtp-faults.ts'

const beyondAscii = /[^\0-\x7f]/

/**
 * What stands behind the sender in MAIL: only what this message needs and this server offers, asked before anything
 * is said about it.
 * @param octets as they go on the wire.
 * @throws recipient_invalid (SMTPUTF8), capability_unavailable (8BITMIME), message_too_large.
 * Source: RFC 6531 3.4, RFC 6152 3, RFC 1870 5.
 */
export function smtpParameters(
  extensions: SmtpExtensions,
  { envelope, needsUtf8 }: ComposedMessage,
  octets: Uint8Array,
): string {
  const positions = envelope.to.flatMap((email, index) => (beyondAscii.test(email) ? [index + 1] : []))
  const isUtf8 = needsUtf8 || positions.length > 0 || beyondAscii.test(envelope.from)
  if (isUtf8 && !extensions.has('SMTPUTF8')) throw needsSmtpUtf8(positions)
  const isEightBit = !isAscii(octets)
  if (isEightBit && !extensions.has('8BITMIME')) throw needsEightBit()
  const limit = smtpSizeLimit(extensions)
  if (limit !== null && octets.length > limit) throw messageTooLarge(octets.length, limit)
  return [
    ...(extensions.has('SIZE') ? [`SIZE=${octets.length}`] : []),
    ...(isEightBit ? ['BODY=8BITMIME'] : []),
    ...(isUtf8 ? ['SMTPUTF8'] : []),
  ]
    .map((parameter) => ` ${parameter}`)
    .join('')
}
