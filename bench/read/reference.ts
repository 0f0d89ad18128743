import { ImapFlow, type FetchMessageObject, type FetchQueryObject } from 'imapflow'

/*
 * What a program would do that knows nothing but one mailbox: a bare, warm ImapFlow connection with the
 * folder selected, obtaining the fields that Postern's results carry in as few commands as it can. Postern is
 * measured against this, so it must not be slower than it needs to be.
 */

const rowHeaders = ['from', 'to', 'subject', 'date', 'message-id', 'content-type']
const messageHeaders = [
  ...rowHeaders,
  'sender',
  'reply-to',
  'cc',
  'bcc',
  'in-reply-to',
  'references',
  'authentication-results',
  'list-id',
  'list-unsubscribe',
]

const row: FetchQueryObject = {
  uid: true,
  flags: true,
  internalDate: true,
  size: true,
  bodyStructure: true,
  headers: rowHeaders,
  bodyParts: [{ key: '1', start: 0, maxLength: 1_024 }],
}

/** Connects, logs in and selects `folder` read-only; the connection is then warm. */
export async function connectReference(options: {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly pass: string
  readonly ca: string
  readonly folder: string
  /** Sees each line of the conversation, for the transcript. */
  readonly onLine?: (line: string) => void
}): Promise<ImapFlow> {
  const { host, port, user, pass, ca, folder, onLine } = options
  const note = (entry: { src?: string; msg?: string }): void => {
    if (entry.src === 'c' || entry.src === 's')
      onLine?.(`${entry.src === 'c' ? 'C' : 'S'}: ${String(entry.msg).slice(0, 160)}`)
  }
  const client = new ImapFlow({
    host,
    port,
    secure: true,
    auth: { user, pass },
    tls: { ca },
    logger: onLine === undefined ? false : { debug: note, info: note, warn: note, error: note, trace: note },
  })
  await client.connect()
  await client.mailboxOpen(folder, { readOnly: true })
  return client
}

/** The newest `limit` messages of the selected folder: one FETCH of a sequence range. */
export async function referenceList(client: ImapFlow, limit: number): Promise<readonly FetchMessageObject[]> {
  const { mailbox } = client
  const exists = mailbox === false ? 0 : mailbox.exists
  return client.fetchAll(`${Math.max(1, exists - limit + 1)}:${exists}`, row)
}

/** The newest `limit` messages by a sender: SEARCH, then one FETCH of the highest UIDs. */
export async function referenceSearch(
  client: ImapFlow,
  sender: string,
  limit: number,
): Promise<readonly FetchMessageObject[]> {
  const found = await client.search({ from: sender }, { uid: true })
  const uids = found === false || found === undefined ? [] : found.slice(-limit)
  return uids.length === 0 ? [] : client.fetchAll(uids, row, { uid: true })
}

/** One message with its text: one FETCH that asks for the two places where the text of nearly all mail stands. */
export async function referenceRead(
  client: ImapFlow,
  uid: number,
): Promise<FetchMessageObject | false | undefined> {
  return client.fetchOne(
    uid,
    {
      uid: true,
      flags: true,
      internalDate: true,
      size: true,
      bodyStructure: true,
      headers: messageHeaders,
      bodyParts: ['1', '1.1'],
    },
    { uid: true },
  )
}
