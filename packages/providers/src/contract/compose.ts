import type { ComposedMessage } from '@postern/mail'
import { createHash } from 'node:crypto'

export interface Letter {
  /** Message-ID is `<key@contract.example>`. */
  readonly key: string
  readonly subject?: string
  readonly body?: string
  readonly from?: string
  /** Everyone of the envelope. */
  readonly to?: readonly string[]
  /** Of the envelope, those whom the header names in Bcc and not in To. */
  readonly blind?: readonly string[]
}

/** A message as the outbox would have built it. */
export function compose({
  key,
  subject = `Subject of ${key}`,
  body = `Body of ${key}.`,
  from = 'owner@contract.example',
  to = ['amy@contract.example'],
  blind = [],
}: Letter): ComposedMessage {
  const seen = to.filter((address) => !blind.includes(address))
  const lines = [
    `From: ${from}`,
    `To: ${seen.length === 0 ? 'undisclosed-recipients:;' : seen.join(', ')}`,
    ...(blind.length === 0 ? [] : [`Bcc: ${blind.join(', ')}`]),
    `Subject: ${subject}`,
    'Date: Mon, 04 May 2026 08:00:00 +0000',
    `Message-ID: <${key}@contract.example>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...body.split('\n'),
    '',
  ]
  const octets = Buffer.from(lines.join('\r\n'))
  return {
    octets,
    envelope: { from, to },
    rfcMessageId: `<${key}@contract.example>`,
    sha256: createHash('sha256').update(octets).digest('hex'),
    needsUtf8: false,
  }
}
