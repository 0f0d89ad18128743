import { parseHeaderBlock } from '@postern/mail'
import type { FetchedItem } from './fetch-line.ts'
import { identitiesOf, noIdentity, type Place } from './locator.ts'
import type { ImapConnection } from './pool.ts'
import { isSameMessage } from './is-same-message.ts'
import { atom, bodyPeek, type Argument } from './wire.ts'

const maxOctets = 16 * 1024

/**
 * FETCH items that tell whether a UID is the message it is taken for, beside whatever else is fetched of it. Null:
 * it was compared a moment ago, and its UID is enough.
 */
export function identityItems(connection: ImapConnection, place: Place | null): readonly Argument[] {
  if (place === null) return [atom('UID'), atom('RFC822.SIZE')]
  return [
    ...['UID', 'INTERNALDATE', 'RFC822.SIZE'].map(atom),
    ...(connection.capabilities.has('OBJECTID') ? [atom('EMAILID')] : []),
    ...(connection.capabilities.has('X-GM-EXT-1') ? [atom('X-GM-MSGID')] : []),
    bodyPeek([atom('HEADER.FIELDS'), ['Message-ID', 'From', 'Date', 'Subject'].map(atom)], [0, maxOctets]),
  ]
}

/** Whether a fetched item, with the items above, is the message of `place`. */
export function isMessageOf(place: Place | null, item: FetchedItem): boolean {
  if (place === null) return true
  const headers = item.headers === null ? [] : parseHeaderBlock(item.headers).fields
  const isCut = item.headers === null || item.headers.length >= maxOctets
  const identities = identitiesOf({ ...item, headers, isCut })
  const receivedSeconds = Math.floor((item.internalDate?.getTime() ?? 0) / 1_000)
  const seen: Place = { ...place, receivedSeconds, identity: identities[0] ?? noIdentity }
  return isSameMessage(place, { identities, isCut, place: seen })
}
