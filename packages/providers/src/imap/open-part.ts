import type { Call, MessageRef, PartId, PartStream } from '@postern/mail'
import { decodeStream } from '../decode-stream.ts'
import { atMessage } from './at-message.ts'
import { messageNotFound, requireAbsence, requireReadable } from './faults.ts'
import { FetchedItems } from './fetch-line.ts'
import { identityItems, isMessageOf } from './identity-items.ts'
import type { Spot } from './locate.ts'
import type { Place } from './locator.ts'
import type { OpenMailbox } from './pool.ts'
import { isSectionNumber } from './read-parts.ts'
import { withFolder, type ImapSession } from './session.ts'
import { atom, bodyPeek, sequence } from './wire.ts'

/** Octets of one FETCH: what a stream holds in memory, and how long it keeps a connection from others. */
const pieceOctets = 512 * 1024

interface Piece {
  readonly octets: Uint8Array
  readonly sizeBytes: number | null
}

/**
 * A large part, or the stored message, piece by piece: the connection is leased for each piece alone, so a slow
 * reader keeps nobody waiting. The first piece is there when this returns, and with it the certainty that the
 * message is. `call` bounds the whole stream.
 * @throws message_not_found, provider_*, timeout; the stream throws the same.
 */
export async function openPart(
  session: ImapSession,
  ref: MessageRef,
  part: { readonly partId: PartId; readonly encoding: string } | 'original',
  call: Call,
): Promise<PartStream> {
  const section = part === 'original' ? '' : part.partId
  if (section !== '' && !isSectionNumber(section)) throw messageNotFound('no such section')
  const { spot, value: first } = await atMessage(session, ref, call, (mailbox, uid, place) =>
    fetchPiece(mailbox, { uid, section, from: 0, place }),
  )
  const octets = pieces(session, { spot, section, first: first.octets }, call)
  return part === 'original'
    ? { sizeBytes: first.sizeBytes, octets }
    : { sizeBytes: null, octets: decodeStream(octets, part.encoding) }
}

async function* pieces(
  session: ImapSession,
  { spot, section, first }: { spot: Spot; section: string; first: Uint8Array },
  call: Call,
): AsyncGenerator<Uint8Array> {
  let piece = first
  let from = 0
  while (piece.length > 0) {
    yield piece
    from += piece.length
    if (piece.length < pieceOctets) return
    const start = from
    const next = await withFolder(session, { folderId: spot.folderId }, call, async (mailbox) =>
      mailbox.uidValidity === spot.uidValidity
        ? fetchPiece(mailbox, { uid: spot.uid, section, from: start, place: null })
        : null,
    )
    if (next === null) throw messageNotFound('gone while it was read')
    piece = next.octets
  }
}

async function fetchPiece(
  mailbox: OpenMailbox,
  { uid, section, from, place }: { uid: number; section: string; from: number; place: Place | null },
): Promise<Piece | null> {
  const body = bodyPeek(section === '' ? [] : [atom(section)], [from, pieceOctets])
  const items = new FetchedItems({ by: 'uid', numbers: [uid] })
  const answer = await mailbox.connection.run(
    'UID FETCH',
    [sequence(`${uid}`), [...identityItems(mailbox.connection, place), body]],
    { collect: ['FETCH', 'EXPUNGE'], onLine: (line) => items.add(line), maxOctets: pieceOctets + 256 * 1024 },
  )
  const item = items.list().find((candidate) => candidate.uid === uid)
  if (item === undefined) {
    requireAbsence(answer)
    requireReadable(answer, 'UID FETCH')
    return null
  }
  if (!isMessageOf(place, item)) return null
  // RFC 3501 6.4.5: beyond the end a server answers with an empty string, or with NIL.
  const octets = item.sections.get(section) ?? new Uint8Array(0)
  return { octets: octets.subarray(0, pieceOctets), sizeBytes: item.sizeBytes }
}
