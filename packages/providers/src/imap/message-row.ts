import type { MessageRow } from '@postern/mail'
import type { FetchedMessage } from './fetch-messages.ts'

/** A fetched message as a row of a page; its anchor remembers where it stood. */
export function toRow({ message, sequence, isBroken }: FetchedMessage): MessageRow {
  const tie = Buffer.from(message.ref.locator).toString('hex')
  return { message, isBroken, anchor: { receivedAt: message.receivedAt, tie, rank: sequence } }
}
