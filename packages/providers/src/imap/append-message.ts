import { Fault } from '@postern/core'
import type { FolderId, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { execWrite, isFailure, type WriteFailure } from './exec-write.ts'
import { locate } from './locate.ts'
import { folderDigest, messageIdDigest, type Place } from './locator.ts'
import { withFolder, type ImapSession } from './session.ts'
import { isList, literal, text, atom, tokenNumber, tokenText, type Answer } from './wire.ts'

/** A message to store as it is. */
export interface Append {
  readonly folderId: FolderId
  readonly octets: Uint8Array
  readonly flags: readonly string[]
  /** Its Message-ID in angle brackets, by which it is found where the server does not say its UID. */
  readonly rfcMessageId: string
}

/**
 * Stores a message in a folder. Its place is told by APPENDUID (RFC 4315 3), else it is looked for; null: it was
 * confirmed, but does not show.
 */
export async function appendMessage(
  session: ImapSession,
  { folderId, octets, flags, rfcMessageId }: Append,
  call: WriteCall,
): Promise<Place | WriteFailure | null> {
  // Given to the server, so that it is known: the copy of this moment is told from older ones by it.
  const receivedAt = new Date(Math.floor(Date.now() / 1_000) * 1_000)
  const patient: WriteCall = { ...call, signal: new AbortController().signal }
  // Selected for writing: Courier refuses to append to a folder that the connection has open for reading.
  const answer = await withFolder(session, { folderId, mode: 'write' }, call, ({ connection }) => {
    const args = [
      text(folderId, connection.isUtf8),
      flags.map(atom),
      text(dateTime(receivedAt), false),
      literal(octets),
    ]
    return execWrite(connection, { command: 'APPEND', args }, call)
  })
  if (isFailure(answer)) return answer
  const place: Place = {
    folder: folderDigest(folderId),
    uidValidity: 0,
    uid: 0,
    receivedSeconds: receivedAt.getTime() / 1_000,
    identity: messageIdDigest(rfcMessageId),
  }
  const told = readAppendUid(answer)
  if (told !== null) return { ...place, ...told }
  const spots = await attempt(
    () => locate(session, [place], patient, [folderId]),
    patient,
    () => true,
  )
  const spot = spots instanceof Fault ? undefined : spots.get(place)
  return spot === undefined ? null : { ...place, uidValidity: spot.uidValidity, uid: spot.uid }
}

function readAppendUid({ section }: Answer): { readonly uidValidity: number; readonly uid: number } | null {
  const [name, first, second] = section ?? []
  if (isList(name) || tokenText(name)?.toUpperCase() !== 'APPENDUID') return null
  const [uidValidity, uid] = [tokenNumber(first), tokenNumber(second)]
  return uidValidity === null || uid === null || uid === 0 ? null : { uidValidity, uid }
}

/** RFC 3501 9 date-time: `" 7-Feb-1994 21:52:25 +0000"`; toUTCString is `Mon, 07 Feb 1994 21:52:25 GMT`. */
function dateTime(date: Date): string {
  const [, day = '', month = '', year = '', time = ''] = date.toUTCString().split(' ')
  return `${day}-${month}-${year} ${time} +0000`
}
