import { createHash } from 'node:crypto'
import { Fault } from '@postern/core'
import { listRawFields, type ComposedMessage } from '@postern/mail'
import MailComposer from 'nodemailer/lib/mail-composer'
import { isInternational } from './addr-spec.ts'
import { messageDigest } from './digest.ts'
import type { Letter, Making } from './letter.ts'
import { listRecipients } from './mailbox.ts'
import {
  contentIdOf,
  fileTypeOf,
  maxFiles,
  requireFilename,
  requireFilesFit,
  type OutgoingFile,
} from './outgoing-file.ts'
import { ownMessageId } from './own-message-id.ts'
import { requireSubject } from './subject.ts'
import { writeDateField, writeIdField, writeMailboxField, writeTextField } from './write-field.ts'

/** Longest text and HTML of one message, in UTF-16 units, quotes included. */
export const maxTextChars = 2_000_000
export const maxHtmlChars = 4_000_000

/**
 * Builds a message: UTF-8, quoted-printable with soft line breaks, CRLF, no line above 998 octets but in an attached
 * message, files to the octet. Bcc stands in the octets; `withoutBcc` of mail takes it out for the wire.
 *
 * The header is ours, field by field, so that nothing a letter holds can begin a field or be read as an encoded word
 * that nobody wrote. The tree below it is the library's.
 * @throws invalid_arguments (subject, file name), attachment_too_large, message_too_large, compose_failed; nothing was
 * sent or stored.
 * Source: RFC 5322, RFC 2045 to 2047, RFC 2231, RFC 2387, RFC 6532.
 */
export async function compose(letter: Letter, making: Making): Promise<ComposedMessage> {
  requireBounds(letter)
  const rfcMessageId = ownMessageId(making.token, letter.from.email)
  const header = [
    `Message-ID: ${rfcMessageId}\r\n`,
    writeDateField(making.now),
    writeMailboxField('From', [letter.from]),
    writeMailboxField('Reply-To', letter.replyTo === null ? [] : [letter.replyTo]),
    writeMailboxField('To', letter.to),
    writeMailboxField('Cc', letter.cc),
    writeMailboxField('Bcc', letter.bcc),
    writeTextField('Subject', requireSubject(letter.subject)),
    writeIdField('In-Reply-To', letter.inReplyTo === null ? [] : [letter.inReplyTo]),
    writeIdField('References', letter.references),
  ].join('')
  const octets = Buffer.concat([Buffer.from(header, 'utf8'), await buildTree(letter, making.token)])
  return {
    octets,
    envelope: { from: letter.from.email, to: listRecipients(letter) },
    rfcMessageId,
    sha256: messageDigest(octets),
    needsUtf8: [letter.from, ...(letter.replyTo === null ? [] : [letter.replyTo])]
      .concat(letter.to, letter.cc, letter.bcc)
      .some(({ email }) => isInternational(email)),
  }
}

/** The MIME fields of the message and all that follows them. */
async function buildTree({ text, html, files }: Letter, token: string): Promise<Uint8Array> {
  const composer = new MailComposer({
    text: Buffer.from(withCrlf(text), 'utf8'),
    ...(html === null ? {} : { html: Buffer.from(withCrlf(html), 'utf8') }),
    attachments: files.map((file) => toAttachment(file)),
    encoding: 'quoted-printable',
    // Not the token itself: that one is in Message-IDs, and so in what others quote back.
    baseBoundary: createHash('sha256').update(`boundary ${token}`).digest('base64url').slice(0, 24),
    boundaryPrefix: '=_',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const built = await composer.compile().build()
  const { fields, bodyStart } = listRawFields(built)
  const kept = fields.filter(({ name }) => name === 'mime-version' || name.startsWith('content-'))
  return Buffer.concat([
    ...kept.map(({ start, end }) => built.subarray(start, end)),
    Buffer.from('\r\n'),
    built.subarray(bodyStart),
  ])
}

function toAttachment(file: OutgoingFile) {
  const { contentType, encoding } = fileTypeOf(file)
  const contentId = contentIdOf(file.contentId)
  const { buffer, byteOffset, byteLength } = file.octets
  return {
    filename: file.filename === null ? (false as const) : requireFilename(file.filename),
    content: Buffer.from(buffer, byteOffset, byteLength),
    contentType,
    contentTransferEncoding: encoding,
    contentDisposition: file.isInline ? 'inline' : 'attachment',
    ...(contentId === null ? {} : { cid: contentId }),
  }
}

function requireBounds({ text, html, files }: Letter): void {
  requireFilesFit(
    files.map(({ octets }, index) => ({ label: `attachment ${index + 1}`, sizeBytes: octets.length })),
  )
  if (files.length > maxFiles) {
    throw new Fault('message_too_large', {
      public: `This message would have ${files.length} files, and at most ${maxFiles} are allowed. Nothing was sent or stored.`,
      details: { limit: maxFiles },
    })
  }
  const isLong = text.length > maxTextChars || (html !== null && html.length > maxHtmlChars)
  if (isLong) {
    throw new Fault('message_too_large', {
      public: `A message may have ${maxTextChars} characters of text and ${maxHtmlChars} of HTML, what it quotes included. Nothing was sent or stored.`,
      details: { text_limit: maxTextChars, html_limit: maxHtmlChars },
    })
  }
}

/** RFC 5322 2.3: CR and LF only together. */
function withCrlf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n')
}
