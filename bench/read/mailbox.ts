import type { ImapFlow } from 'imapflow'

/** Messages written one by one; the rest are copies of them, which the server makes by reference. */
const written = 500
export const bulkFolder = 'Bulk'
export const bulkSize = 100_000
export const rareSender = 'rare.sender@sender7.example'

const words =
  'lease invoice meeting draft figures quarter north harbour review plan table window budget travel'.split(
    ' ',
  )

/** A plain or an alternative message of a few kilobytes, as most mail is. */
function message(n: number): Buffer {
  const word = (k: number): string => words[(n * 7 + k * 3) % words.length] ?? 'word'
  const text = Array.from(
    { length: 30 },
    (_, line) => `${word(line)} ${word(line + 1)} and ${word(line + 2)}, as agreed on ${line + 1}.`,
  ).join('\r\n')
  const from = n % 100 === 0 ? rareSender : `Sender ${n % 40} <sender${n % 40}@sender${n % 9}.example>`
  const head = [
    `From: ${from}`,
    `To: bench@home.example, team@home.example`,
    `Subject: ${word(1)} ${word(2)} ${n}`,
    `Date: Mon, 02 Nov 2026 10:00:00 +0000`,
    `Message-ID: <bench-${n}@sender.example>`,
    'MIME-Version: 1.0',
  ]
  if (n % 2 === 0)
    return Buffer.from([...head, 'Content-Type: text/plain; charset=utf-8', '', text, ''].join('\r\n'))
  return Buffer.from(
    [
      ...head,
      'Content-Type: multipart/alternative; boundary="b"',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      text,
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      `<html><body><p>${text.replaceAll('\r\n', '</p>\r\n<p>')}</p></body></html>`,
      '--b--',
      '',
    ].join('\r\n'),
  )
}

/** A message of the same text with a file of `bytes` octets beside it. */
export function withAttachment(bytes: number): Buffer {
  const body = Buffer.alloc(bytes, 7).toString('base64').replace(/.{76}/g, '$&\r\n')
  return Buffer.from(
    [
      'From: Files <files@sender.example>',
      'To: bench@home.example',
      'Subject: With a file',
      'Date: Mon, 02 Nov 2026 10:00:00 +0000',
      `Message-ID: <file-${bytes}@sender.example>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="m"',
      '',
      '--m',
      'Content-Type: text/plain',
      '',
      'The file is attached.',
      '',
      ...(bytes === 0
        ? []
        : [
            '--m',
            'Content-Type: application/octet-stream',
            'Content-Disposition: attachment; filename="data.bin"',
            'Content-Transfer-Encoding: base64',
            '',
            body,
          ]),
      '--m--',
      '',
    ].join('\r\n'),
  )
}

/** Fills a fresh mailbox: `Bulk` with 100,000 messages, INBOX with what they were copied from. */
export async function fillMailbox(client: ImapFlow): Promise<void> {
  await client.mailboxCreate(bulkFolder)
  for (let n = 0; n < written; n++) {
    await client.append(
      'INBOX',
      message(n),
      n % 3 === 0 ? [] : ['\\Seen'],
      new Date(Date.UTC(2026, 9, 1, 0, n)),
    )
  }
  await client.mailboxOpen('INBOX', { readOnly: true })
  for (let copies = 0; copies < bulkSize / written; copies++) await client.messageCopy('1:*', bulkFolder)
}
