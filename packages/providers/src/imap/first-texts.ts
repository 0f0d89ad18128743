import { decodeTransfer, type Part } from '@postern/mail'
import { atom, bodyPeek, type Argument } from './wire.ts'

/** Where the text of nearly all mail begins: in the first part, or the first part of that. */
const places: readonly string[] = ['1', '1.1']

/**
 * The first octets of those places, asked for before the structure is known: most texts are shorter, and to bring
 * them along saves a round trip. What a place holds that is no text is passed over, hence the bound.
 */
export function firstTextItems(octets: number): readonly Argument[] {
  return places.map((place) => bodyPeek([atom(place)], [0, octets]))
}

/** The tree with the content of those texts that came whole; a text that goes on, or is damaged, is read by itself. */
export function withFirstTexts(tree: Part, sections: ReadonlyMap<string, Uint8Array>, octets: number): Part {
  const found = places.some((place) => sections.has(place))
  return found ? fill(tree, sections, octets) : tree
}

function fill(part: Part, sections: ReadonlyMap<string, Uint8Array>, octets: number): Part {
  const [first, ...others] = part.children
  // The places lie behind one another, each the first of its siblings.
  if (first !== undefined) return { ...part, children: [fill(first, sections, octets), ...others] }
  const found = part.type.startsWith('text/') ? sections.get(part.id) : undefined
  if (found === undefined || found.length >= octets) return part
  const { content, isDamaged } = decodeTransfer(found, part.encoding)
  return isDamaged ? part : { ...part, content }
}
