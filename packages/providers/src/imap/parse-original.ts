import { parseMime, type Part } from '@postern/mail'
import { FetchedItems } from './fetch-line.ts'
import type { OpenMailbox } from './pool.ts'
import { atom, bodyPeek, sequence } from './wire.ts'

/** Octets of a message that are looked into when its server cannot describe it. */
const maxOctets = 1024 * 1024

/**
 * The part tree of a message whose BODYSTRUCTURE is missing, broken or too much, from the message itself. Texts
 * come with their content; files without, to be read by their section number. Null when the message is gone.
 * @throws provider_*, timeout.
 */
export async function parseOriginal(mailbox: OpenMailbox, uid: number): Promise<Part | null> {
  const items = new FetchedItems({ by: 'uid', numbers: [uid] })
  await mailbox.connection.run(
    'UID FETCH',
    [sequence(`${uid}`), [atom('UID'), bodyPeek([], [0, maxOctets])]],
    {
      collect: ['FETCH'],
      onLine: (line) => items.add(line),
      maxOctets: maxOctets + 256 * 1024,
    },
  )
  const octets = items
    .list()
    .find((item) => item.uid === uid)
    ?.sections.get('')
  return octets === undefined ? null : withTexts(parseMime(octets).tree)
}

function withTexts(part: Part): Part {
  const content = part.type.startsWith('text/') && part.filename === null ? part.content : null
  return { ...part, content, children: part.children.map(withTexts) }
}
