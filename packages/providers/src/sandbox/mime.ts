import type { CharsetEncoder } from './charset-encoder.ts'
import { formatMailboxes, headerText, isAscii, type Mailbox } from './header-text.ts'
import { formatDateHeader } from './timeline.ts'
import { applyTransferEncoding, type TransferEncoding } from './transfer-encoding.ts'

/** A MIME entity (RFC 2045 2.4): its Content-* lines, and its body as it travels. */
export interface Entity {
  readonly headers: readonly string[]
  readonly body: Uint8Array
}

export interface TextOptions {
  readonly subtype?: 'plain' | 'html' | 'csv'
  readonly charset?: string
  readonly encoding?: TransferEncoding
}

/** A text part; `text` has `\n` line ends, the entity has CRLF. */
export function textEntity(text: string, encode: CharsetEncoder, options: TextOptions = {}): Entity {
  const charset = options.charset ?? (isAscii(text) ? 'us-ascii' : 'utf-8')
  const encoding = options.encoding ?? (isAscii(text) ? '7bit' : 'quoted-printable')
  const octets = encode(text.replaceAll('\n', '\r\n'), charset)
  return {
    headers: [
      `Content-Type: text/${options.subtype ?? 'plain'}; charset=${charset}`,
      `Content-Transfer-Encoding: ${encoding}`,
    ],
    body: applyTransferEncoding(octets, encoding),
  }
}

export interface File {
  readonly name: string
  readonly type: string
  readonly octets: Uint8Array
  /** With a Content-ID the part is inline, and HTML may refer to it as `cid:`. */
  readonly contentId?: string
}

/** A file as an attachment or inline part, base64. Names beyond ASCII are written as RFC 2231 says. */
export function fileEntity(file: File): Entity {
  const isInline = file.contentId !== undefined
  const name = isAscii(file.name)
    ? `filename="${file.name}"`
    : `filename*=UTF-8''${encodeURIComponent(file.name)}`
  return {
    headers: [
      `Content-Type: ${file.type}`,
      'Content-Transfer-Encoding: base64',
      `Content-Disposition: ${isInline ? 'inline' : 'attachment'};\r\n ${name}`,
      ...(isInline ? [`Content-ID: <${file.contentId}>`] : []),
    ],
    body: applyTransferEncoding(file.octets, 'base64'),
  }
}

/** A whole message inside another one (RFC 2046 5.2.1). It may not be encoded beyond 8bit. */
export function messageEntity(raw: Uint8Array, name: string): Entity {
  return {
    headers: [
      'Content-Type: message/rfc822',
      `Content-Transfer-Encoding: 8bit`,
      `Content-Disposition: attachment; filename="${name}"`,
    ],
    body: raw,
  }
}

/** RFC 2046 5.1. `boundary` must not occur in a child; `subtype` may carry parameters. */
export function multipartEntity(subtype: string, boundary: string, children: readonly Entity[]): Entity {
  const parts = children.flatMap((child) => [
    Buffer.from(`--${boundary}\r\n${child.headers.join('\r\n')}\r\n\r\n`, 'latin1'),
    child.body,
    Buffer.from('\r\n', 'latin1'),
  ])
  return {
    headers: [`Content-Type: multipart/${subtype};\r\n boundary="${boundary}"`],
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`, 'latin1')]),
  }
}

/** The header of a message. Ids are without angle brackets; `trace` stands above everything, as servers write it. */
export interface Head {
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc?: readonly Mailbox[]
  readonly replyTo?: Mailbox
  readonly subject: string
  /** Writes the subject as bare octets of `charset`, as careless senders do. */
  readonly isRawSubject?: boolean
  readonly date: Date
  readonly zone?: string
  readonly messageId: string
  readonly references?: readonly string[]
  readonly charset?: string
  readonly extra?: readonly string[]
  readonly trace?: readonly string[]
}

/** The finished octets. Header text beyond ASCII is encoded in `charset`. */
export function writeMessage(head: Head, entity: Entity, encode: CharsetEncoder): Uint8Array {
  const charset = head.charset ?? 'utf-8'
  const people = (list: readonly Mailbox[]): string => formatMailboxes(list, charset, encode)
  const subject =
    head.isRawSubject === true
      ? Buffer.from(encode(head.subject, charset)).toString('latin1')
      : headerText(head.subject, charset, encode)
  const references = head.references ?? []
  const parent = references.at(-1)
  const lines = [
    ...(head.trace ?? []),
    `From: ${people([head.from])}`,
    ...(head.to.length === 0 ? [] : [`To: ${people(head.to)}`]),
    ...(head.cc === undefined || head.cc.length === 0 ? [] : [`Cc: ${people(head.cc)}`]),
    ...(head.replyTo === undefined ? [] : [`Reply-To: ${people([head.replyTo])}`]),
    `Subject: ${subject}`,
    `Date: ${formatDateHeader(head.date, head.zone ?? '+0000')}`,
    `Message-ID: <${head.messageId}>`,
    ...(parent === undefined ? [] : [`In-Reply-To: <${parent}>`]),
    ...(parent === undefined
      ? []
      : [`References: ${references.map((reference) => `<${reference}>`).join('\r\n ')}`]),
    ...(head.extra ?? []),
    'MIME-Version: 1.0',
    ...entity.headers,
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), entity.body])
}
