import { decodeTransfer, type Call, type MessageRef, type PartContent, type PartRequest } from '@postern/mail'
import { atMessage } from './at-message.ts'
import { requireAbsence, requireReadable } from './faults.ts'
import { FetchedItems } from './fetch-line.ts'
import { identityItems, isMessageOf } from './identity-items.ts'
import type { Place } from './locator.ts'
import type { OpenMailbox } from './pool.ts'
import type { ImapSession } from './session.ts'
import { atom, bodyPeek, sequence } from './wire.ts'

/** Octets of an answer beside the parts that were asked for. */
const otherOctets = 256 * 1024

/**
 * Several parts of one message in one FETCH, each up to its bound and nothing beyond: what is not asked for
 * does not cross the wire. The transfer encoding is undone here, once; BINARY (RFC 3516) is not used.
 * @throws message_not_found, provider_*, timeout.
 */
export async function readParts(
  session: ImapSession,
  ref: MessageRef,
  parts: readonly PartRequest[],
  call: Call,
): Promise<readonly PartContent[]> {
  if (parts.length === 0) return []
  const { value } = await atMessage(session, ref, call, (mailbox, uid, place) =>
    fetchSections(mailbox, { uid, place, parts }),
  )
  return parts.map((part) => decode(part, value.get(part.partId)))
}

async function fetchSections(
  mailbox: OpenMailbox,
  { uid, place, parts }: { uid: number; place: Place | null; parts: readonly PartRequest[] },
): Promise<ReadonlyMap<string, Uint8Array> | null> {
  const lengths = new Map<string, number>()
  for (const part of parts) {
    if (!isSectionNumber(part.partId)) continue
    lengths.set(part.partId, Math.max(lengths.get(part.partId) ?? 0, wireOctets(part)))
  }
  const sections = [...lengths].map(([partId, length]) => bodyPeek([atom(partId)], [0, length]))
  const items = new FetchedItems({ by: 'uid', numbers: [uid] })
  const answer = await mailbox.connection.run(
    'UID FETCH',
    [sequence(`${uid}`), [...identityItems(mailbox.connection, place), ...sections]],
    {
      collect: ['FETCH', 'EXPUNGE'],
      onLine: (line) => items.add(line),
      maxOctets: [...lengths.values()].reduce((sum, length) => sum + length, otherOctets),
    },
  )
  const item = items.list().find((candidate) => candidate.uid === uid)
  if (item === undefined) {
    requireAbsence(answer)
    requireReadable(answer, 'UID FETCH')
    return null
  }
  return isMessageOf(place, item) ? item.sections : null
}

/** RFC 3501 6.4.5: `1.2`. Only what `parts.ts` makes; never a word that would mean another section. */
export function isSectionNumber(partId: string): boolean {
  return /^\d{1,6}(?:\.\d{1,6}){0,100}$/.test(partId)
}

/**
 * Encoded octets that hold `maxBytes` decoded ones, and one more to see whether the part goes on. Base64 grows
 * by a third and its line ends; quoted-printable may triple.
 */
function wireOctets({ encoding, maxBytes }: PartRequest): number {
  const growth = encoding === 'quoted-printable' ? 3.1 : /^(?:7bit|8bit|binary)$/.test(encoding) ? 1 : 1.45
  return Math.ceil(maxBytes * growth) + 1
}

function decode(part: PartRequest, octets: Uint8Array | undefined): PartContent {
  const { partId, encoding, maxBytes } = part
  if (octets === undefined) return { partId, content: new Uint8Array(0), isCut: false, isDamaged: true }
  const { content, isDamaged } = decodeTransfer(octets, encoding)
  const isCut = octets.length >= wireOctets(part) || content.length > maxBytes
  // What looks damaged at the cut is only cut.
  return { partId, content: content.subarray(0, maxBytes), isCut, isDamaged: isDamaged && !isCut }
}
