import { createHash } from 'node:crypto'
import { rawText, readMessageFields, type CleanText, type HeaderField } from '@postern/mail'
import PostalMime from 'postal-mime'
import type { Letter, Making } from '../src/letter.ts'
import type { Mailbox } from '../src/mailbox.ts'
import type { Original } from '../src/original.ts'
import type { OutgoingFile } from '../src/outgoing-file.ts'
import { parseMailbox } from '../src/parse-recipients.ts'

export const now = new Date('2026-11-16T09:00:00Z')

export function making(token = 'Token00000000000000A'): Making {
  return { now, token }
}

export function mailbox(entry: string): Mailbox {
  return parseMailbox(entry, 'to')
}

export function mailboxes(...entries: readonly string[]): readonly Mailbox[] {
  return entries.map(mailbox)
}

export function makeLetter(parts: Partial<Letter> = {}): Letter {
  return {
    from: mailbox('Olga Owner <owner@home.example>'),
    replyTo: null,
    to: mailboxes('amy@sender.example'),
    cc: [],
    bcc: [],
    subject: 'Hello',
    text: 'Hello there.',
    html: null,
    inReplyTo: null,
    references: [],
    files: [],
    ...parts,
  }
}

export function makeFile(parts: Partial<OutgoingFile> = {}): OutgoingFile {
  return {
    filename: 'report.pdf',
    mimeType: 'application/pdf',
    contentId: null,
    isInline: false,
    octets: Buffer.from('%PDF'),
    ...parts,
  }
}

/** A message to answer or forward; header values as they stand in a message. */
export function makeOriginal(
  values: Readonly<Record<string, string>> = {},
  body: { readonly text?: string; readonly html?: string } = {},
): Original {
  const all = {
    From: 'Amy Sender <amy@sender.example>',
    To: 'owner@home.example',
    Subject: 'Plans',
    Date: 'Mon, 16 Nov 2026 08:00:00 +0000',
    'Message-ID': '<m1@sender.example>',
    ...values,
  }
  const headers: readonly HeaderField[] = Object.entries(all).flatMap(([name, value]) =>
    value === '' ? [] : [{ name, value }],
  )
  return {
    headers,
    fields: readMessageFields(headers),
    receivedAt: now,
    text: clean(body.text ?? 'Shall we meet?'),
    html: body.html === undefined ? null : clean(body.html),
  }
}

/** Stands for what `renderBody` gives: in a test the text is ours. */
function clean(text: string): CleanText {
  return rawText(text) as unknown as CleanText
}

/** What a parser that shares no code with ours reads. */
export async function readIndependently(octets: Uint8Array) {
  return PostalMime.parse(octets, { attachmentEncoding: 'arraybuffer' })
}

export function textOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString('utf8')
}

export function headerOf(octets: Uint8Array): string {
  const text = textOf(octets)
  return text.slice(0, text.indexOf('\r\n\r\n') + 2)
}

export function sha256(octets: Uint8Array | ArrayBuffer | string): string {
  return createHash('sha256')
    .update(typeof octets === 'string' ? octets : new Uint8Array(octets))
    .digest('hex')
}

export function longestLine(octets: Uint8Array): number {
  let longest = 0
  let start = 0
  for (const [at, octet] of octets.entries()) {
    if (octet !== 0x0a) continue
    longest = Math.max(longest, at - start - 1)
    start = at + 1
  }
  return Math.max(longest, octets.length - start)
}
