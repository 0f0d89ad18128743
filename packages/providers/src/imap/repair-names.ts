import { describePart, parseHeaderBlock, walkParts, type Part } from '@postern/mail'
import { FetchedItems } from './fetch-line.ts'
import type { OpenMailbox } from './pool.ts'
import { atom, bodyPeek, sequence } from './wire.ts'

/** Names of one message that are worth a second look. */
const maxNames = 20
const maxOctets = 8 * 1024

/**
 * File names that lost octets on the way. Some servers put raw 8-bit names into quoted strings, which imapflow reads
 * as UTF-8; the MIME header of such a part is a literal, and brings them whole. One FETCH for all of a message.
 * @throws provider_*, timeout.
 */
export async function repairNames(mailbox: OpenMailbox, uid: number, tree: Part): Promise<Part> {
  const damaged = [...walkParts(tree)].filter((part) => isDamaged(part) && part.id !== '').slice(0, maxNames)
  if (damaged.length === 0) return tree
  const sections = damaged.map(({ id }) => bodyPeek([atom(`${id}.MIME`)], [0, maxOctets]))
  const items = new FetchedItems({ by: 'uid', numbers: [uid] })
  await mailbox.connection.run('UID FETCH', [sequence(`${uid}`), [atom('UID'), ...sections]], {
    collect: ['FETCH'],
    onLine: (line) => items.add(line),
    maxOctets: damaged.length * maxOctets + 64 * 1024,
  })
  const found = items.list().find((item) => item.uid === uid)?.sections ?? new Map<string, Uint8Array>()
  return withNames(tree, found)
}

function isDamaged({ filename }: Part): boolean {
  return filename?.includes('\ufffd') === true
}

function withNames(part: Part, headers: ReadonlyMap<string, Uint8Array>): Part {
  const header = isDamaged(part) ? headers.get(`${part.id}.MIME`) : undefined
  const children = part.children.map((child) => withNames(child, headers))
  if (header === undefined) return { ...part, children }
  const { filename } = describePart(
    parseHeaderBlock(header).fields,
    part.type,
    part.params.get('charset') ?? null,
  )
  return { ...part, children, filename: filename ?? part.filename }
}
