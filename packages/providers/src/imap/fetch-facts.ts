import { mapInTurns } from '@postern/core'
import { parseHeaderBlock, type HeaderField, type Part } from '@postern/mail'
import { requireOk } from './faults.ts'
import { FetchedItems } from './fetch-line.ts'
import { chunk, packNumberSet } from './number-set.ts'
import { partsOf } from './parts.ts'
import type { OpenMailbox } from './pool.ts'
import { atom, bodyPeek, sequence, type Argument } from './wire.ts'

/** What a search decides by, of one message. */
export interface Facts {
  readonly receivedAt: Date
  /** Null when it was not wanted, or cannot be read. */
  readonly tree: Part | null
  readonly headers: readonly HeaderField[]
}

export interface FactsWish {
  readonly structure: boolean
  readonly headers: boolean
}

export const datesOnly: FactsWish = { structure: false, headers: false }

// The fields of text criteria, and the one whose charset raw 8-bit text is in.
const headerNames = [
  'From',
  'To',
  'Cc',
  'Bcc',
  'Subject',
  'Message-ID',
  'List-Id',
  'Delivered-To',
  'Content-Type',
]
const maxHeaderOctets = 32 * 1024
const maxAnswerOctets = 32 * 1024 * 1024

/** Facts by UID. Messages that are gone, or whose date cannot be read, are missing. @throws provider_*, timeout. */
export async function fetchFacts(
  mailbox: OpenMailbox,
  uids: readonly number[],
  wish: FactsWish,
): Promise<ReadonlyMap<number, Facts>> {
  const items: readonly Argument[] = [
    atom('UID'),
    atom('INTERNALDATE'),
    ...(wish.structure ? [atom('BODYSTRUCTURE')] : []),
    ...(wish.headers ? [bodyPeek([atom('HEADER.FIELDS'), headerNames.map(atom)], [0, maxHeaderOctets])] : []),
  ]
  const facts = new Map<number, Facts>()
  for (const some of chunk(uids)) {
    const fetched = new FetchedItems({ by: 'uid', numbers: some })
    const answer = await mailbox.connection.run('UID FETCH', [sequence(packNumberSet(some)), items], {
      collect: ['FETCH', 'EXPUNGE'],
      onLine: (line) => fetched.add(line),
      maxOctets: maxAnswerOctets,
    })
    const list = fetched.list()
    // RFC 2180 4.1: a server may say NO because one of them is gone, and answer for the others.
    if (list.length === 0) requireOk(answer, 'UID FETCH')
    await mapInTurns(list, ({ uid, internalDate, structure, headers }) => {
      if (uid === null || internalDate === null) return
      facts.set(uid, {
        receivedAt: internalDate,
        tree: wish.structure ? partsOf(structure) : null,
        headers: headers === null ? [] : parseHeaderBlock(headers).fields,
      })
    })
  }
  return facts
}
