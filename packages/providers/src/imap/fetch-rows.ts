import { Fault } from '@postern/core'
import { rowHeaders, type Call } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { misbehaved } from './faults.ts'
import type { FetchSet } from './fetch-line.ts'
import { fetchMessages, type FetchedMessage, type FetchWish } from './fetch-messages.ts'
import type { OpenMailbox } from './pool.ts'
import { knownFolderName, type ImapSession } from './session.ts'

/** What to fetch of which messages of the open mailbox. */
export interface RowRequest {
  readonly by: FetchSet['by']
  readonly numbers: readonly number[]
  readonly wish: FetchWish
}

/**
 * Rows of those messages, newest first. One that is not answered for is asked for once more, without its content.
 * @throws provider_*, timeout; provider_error also when nothing is said of any message that the folder is said to hold.
 */
export async function fetchRows(
  session: ImapSession,
  mailbox: OpenMailbox,
  { by, numbers, wish }: RowRequest,
): Promise<readonly FetchedMessage[]> {
  if (numbers.length === 0) return []
  const name = knownFolderName(session, mailbox.folderId)
  const ask = (some: readonly number[], fields: FetchWish): Promise<readonly FetchedMessage[]> =>
    fetchMessages(mailbox, { by, numbers: some }, fields, name)
  const wanted = new Set(numbers)
  const isWanted = (row: FetchedMessage): boolean => wanted.delete(by === 'uid' ? row.uid : row.sequence)
  const rows = (await ask(numbers, wish)).filter(isWanted)
  if (wanted.size > 0) rows.push(...(await ask([...wanted], { ...wish, isBare: true })).filter(isWanted))
  // A UID may have gone meanwhile, a sequence number cannot (RFC 3501 7.4.1): this is no empty page.
  if (rows.length === 0 && by === 'sequence') throw misbehaved('FETCH brought none of the messages there are')
  return rows.sort((a, b) => b.sequence - a.sequence)
}

/** One structure too large or too deep to read must not hide the others: `read` runs again, without structures. */
export async function withRowWish<T>(
  call: Call,
  read: (wish: FetchWish) => Promise<T>,
  headers: readonly string[] = rowHeaders,
): Promise<T> {
  const rowWish: FetchWish = { headers, withPreview: true, withStructure: true }
  const whole = await attempt(
    () => read(rowWish),
    call,
    ({ code }) => code === 'provider_error',
  )
  return whole instanceof Fault ? read({ ...rowWish, withStructure: false }) : whole
}
