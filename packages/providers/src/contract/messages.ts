import type { Flags } from '@postern/mail'

/** A message to put into a mailbox. `raw` has CRLF line ends: some servers take no others. */
export interface ContractMessage {
  readonly raw: Uint8Array
  readonly receivedAt: Date
  readonly flags?: Partial<Flags>
  readonly keywords?: readonly string[]
}

export interface MessageDraft {
  /** Message-ID is `<key@contract.example>`. */
  readonly key: string
  readonly receivedAt?: Date
  readonly from?: string
  readonly to?: string
  readonly subject?: string
  /** Further header lines, as they stand. */
  readonly headers?: readonly string[]
  readonly body?: string
  readonly flags?: Partial<Flags>
  readonly keywords?: readonly string[]
}

const epoch = new Date('2026-05-04T08:00:00Z')

/** A plain message. Headers and body are UTF-8 octets, so that raw 8-bit text can be written as it is. */
export function plain(draft: MessageDraft): ContractMessage {
  const headers = draft.headers ?? [
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ]
  return fromLines(
    draft,
    ['MIME-Version: 1.0', ...headers],
    (draft.body ?? `Body of ${draft.key}.`).split('\n'),
  )
}

export interface PartDraft {
  readonly headers: readonly string[]
  readonly lines: readonly string[]
}

/** A multipart message of those parts. */
export function multipart(
  draft: MessageDraft,
  subtype: string,
  parts: readonly PartDraft[],
): ContractMessage {
  const boundary = `=_${draft.key}_${subtype}`
  const lines = parts.flatMap(({ headers, lines }) => [`--${boundary}`, ...headers, '', ...lines])
  return fromLines(
    draft,
    [
      'MIME-Version: 1.0',
      `Content-Type: multipart/${subtype}; boundary="${boundary}"`,
      ...(draft.headers ?? []),
    ],
    [...lines, `--${boundary}--`, ''],
  )
}

/** A part of that type whose content is base64. */
export function attachment(type: string, filename: string, content: Uint8Array): PartDraft {
  return {
    headers: [
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename="${filename}"`,
      'Content-Transfer-Encoding: base64',
    ],
    lines:
      Buffer.from(content)
        .toString('base64')
        .match(/.{1,76}/g) ?? [],
  }
}

export function textPart(text: string, type = 'text/plain'): PartDraft {
  return {
    headers: [`Content-Type: ${type}; charset=utf-8`, 'Content-Transfer-Encoding: 8bit'],
    lines: text.split('\n'),
  }
}

/** Exactly these octets, whatever they are. */
export function octets(raw: string | Uint8Array, options: Omit<MessageDraft, 'key'> = {}): ContractMessage {
  return {
    raw: typeof raw === 'string' ? Buffer.from(raw.replaceAll('\n', '\r\n'), 'latin1') : raw,
    receivedAt: options.receivedAt ?? epoch,
    ...(options.flags === undefined ? {} : { flags: options.flags }),
  }
}

function fromLines(draft: MessageDraft, mime: readonly string[], body: readonly string[]): ContractMessage {
  const receivedAt = draft.receivedAt ?? epoch
  const lines = [
    `From: ${draft.from ?? 'Amy Adams <amy@contract.example>'}`,
    `To: ${draft.to ?? 'team@contract.example'}`,
    `Subject: ${draft.subject ?? `Subject of ${draft.key}`}`,
    `Date: ${receivedAt.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${draft.key}@contract.example>`,
    ...mime,
    '',
    ...body,
  ]
  return {
    raw: Buffer.from(`${lines.join('\r\n')}\r\n`, 'utf8'),
    receivedAt,
    ...(draft.flags === undefined ? {} : { flags: draft.flags }),
    ...(draft.keywords === undefined ? {} : { keywords: draft.keywords }),
  }
}
