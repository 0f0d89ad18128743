import type { ApprovalRecord } from '@postern/access'
import { describeHeld, unpackHeldSend, type HeldDescription } from '@postern/outbox'
import { unpackHeldBulk, type HeldBulk } from '@postern/tools'
import { printable, table } from './layout.ts'
import { minute } from './minute.ts'

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

/** @throws internal_error for what does not open, or is not what was put there. */
export async function showHeld({ kind, sha256 }: ApprovalRecord, held: Uint8Array): Promise<HeldView> {
  return kind === 'send'
    ? showMessage(await describeHeld(unpackHeldSend(held)))
    : showBulk(unpackHeldBulk(held, sha256))
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

function showBulk({ act, destination, refs, sample }: HeldBulk): HeldView {
  const count = refs.length === 1 ? 'this one message' : `these ${String(refs.length)} messages`
  const verb = {
    move: `move ${count} to the folder shown above`,
    trash: `move ${count} to Trash`,
    delete: `delete ${count} for ever`,
  }[act.kind]
  const rows = sample.map(({ receivedAt, from, subject }) => [minute(receivedAt), from, subject])
  const rest = refs.length - sample.length
  return {
    act: verb,
    refusal: 'Nothing is changed.',
    facts: [
      ['Act', { move: 'move', trash: 'move to Trash', delete: 'delete for ever' }[act.kind]],
      ...(destination === null ? [] : [['To folder', destination] as const]),
      ['Messages', String(refs.length)],
    ],
    text: `${quoted(table(['DATE', 'FROM', 'SUBJECT'], rows).trimEnd())}${rest === 0 ? '' : `and ${String(rest)} more\n`}`,
    json: {
      bulk: {
        act: act.kind,
        destination_folder_id: act.kind === 'move' ? act.folderId : null,
        destination_folder: destination,
        match_count: refs.length,
        sample: sample.map(({ receivedAt, from, subject }) => ({
          date: receivedAt.toISOString(),
          from,
          subject,
        })),
      },
    },
  }
}

/** Set off from our own lines, so that no text of a stranger passes for one of them. */
function quoted(text: string): string {
  return printable(text)
    .split('\n')
    .map((line) => `| ${line}`.trimEnd() + '\n')
    .join('')
}
