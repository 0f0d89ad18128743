import { describeHeld, unpackHeldSend, type HeldDescription } from '@postern/outbox'
import { printable } from './layout.ts'

/** What is held, as whoever decides sees it at a terminal. */
export interface HeldView {
  /** What approving does: `send this message`. */
  readonly act: string
  /** What comes of it when it is rejected. */
  readonly refusal: string
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

/** @throws internal_error for what does not open. */
export async function showHeld(held: Uint8Array): Promise<HeldView> {
  return showMessage(await describeHeld(unpackHeldSend(held)))
}

function showMessage(message: HeldDescription): HeldView {
  const { from, replyTo, recipients, subject, text, htmlText, files } = message
  const lines = (addresses: readonly string[]): string => addresses.join(', ')
  const html = htmlText === null ? '' : `\nIts HTML form reads differently:\n\n${quoted(htmlText)}`
  return {
    act: 'send this message',
    refusal: 'It is not sent.',
    facts: [
      ['From', from],
      ...(replyTo.length === 0 ? [] : [['Answers to', lines(replyTo)] as const]),
      ['To', lines(recipients.to)],
      ...(recipients.cc.length === 0 ? [] : [['Cc', lines(recipients.cc)] as const]),
      ...(recipients.bcc.length === 0 ? [] : [['Bcc', lines(recipients.bcc)] as const]),
      ['Subject', subject],
      ...files.map(
        ({ filename, mimeType, sizeBytes }) =>
          ['File', `${filename || 'without a name'}, ${mimeType}, ${String(sizeBytes)} bytes`] as const,
      ),
    ],
    text: `${quoted(text)}${html}`,
    json: { message: messageJson(message) },
  }
}

function messageJson(message: HeldDescription): Record<string, unknown> {
  const { from, replyTo, recipients, subject, text, htmlText, files } = message
  return {
    from,
    reply_to: replyTo,
    ...recipients,
    subject,
    text,
    html_text: htmlText,
    files: files.map(({ filename, mimeType, sizeBytes }) => ({
      filename,
      mime_type: mimeType,
      size_bytes: sizeBytes,
    })),
  }
}

/** Set off from our own lines, so that no text of a stranger passes for one of them. */
function quoted(text: string): string {
  return printable(text)
    .split('\n')
    .map((line) => `| ${line}`.trimEnd() + '\n')
    .join('')
}
