import { bufferOver } from './buffer-over.ts'
import { describePart, type PartDescription } from './describe-part.ts'
import type { HeaderField } from './header.ts'
import { parseHeaderBlock } from './parse-header-block.ts'
import type { Part, PartId } from './part.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/** A whole message, taken apart. */
export interface ParsedMessage {
  readonly headers: readonly HeaderField[]
  readonly tree: Part
  /** Parts whose transfer encoding was broken: their content is what could be decoded. */
  readonly damagedParts: readonly PartId[]
}

/** Deepest nesting of multiparts that is taken apart; a deeper one is a leaf of its own type. */
export const maxPartDepth = 50
/** Most nodes of a tree; what follows the last one belongs to it. */
export const maxParts = 2_000
/** RFC 2046 5.1.1 allows 70 characters. */
const maxBoundaryLength = 1_000

/**
 * Takes a stored message apart: header fields, and the tree with the content of every leaf (transfer encoding
 * undone, charset not; `encoding` still names what it was, so that a tree looks alike whoever built it).
 * Never throws, whatever the octets; one pass over them, whatever the nesting.
 *
 * Part ids are IMAP section numbers. Attached messages are leaves. A multipart without a boundary, or in
 * which its boundary never occurs, is text. A missing final boundary, a boundary inside a header block, bare
 * line feeds and a missing MIME-Version are as good as their proper forms.
 * Source: RFC 2045, RFC 2046, RFC 3501 6.4.5 for the ids.
 */
export function parseMime(raw: Uint8Array): ParsedMessage {
  const scan = new Scan(raw)
  const { fields, root } = scan.run()
  const damagedParts: PartId[] = []
  // A message of one part is its own part 1; a multipart's children are 1, 2, 3 and itself nothing.
  const id = root.children.length > 0 ? '' : '1'
  const tree = toPart(root, id, raw, (damaged) => damagedParts.push(damaged))
  return { headers: fields, tree, damagedParts }
}

interface Node {
  readonly description: PartDescription
  /** A multipart that lies too deep to be taken apart. */
  readonly isTooDeep: boolean
  readonly start: number
  end: number
  readonly children: Node[]
}

interface OpenMultipart {
  readonly node: Node
  readonly boundary: string
  /** Where an outer multipart with the same boundary stands, which this one hides while it is open. */
  readonly hidden: number | undefined
}

const hyphens = Buffer.from('--')
const newLineHyphens = Buffer.from('\n--')
const lf = 0x0a
const cr = 0x0d

class Scan {
  readonly #octets: Buffer
  readonly #open: OpenMultipart[] = []
  /** Boundary to index in `#open`; of two open multiparts with the same boundary the inner one. */
  readonly #boundaries = new Map<string, number>()
  /** The part whose octets are being passed: a leaf, or null between parts. */
  #leaf: Node | null = null
  #count = 0
  /** What the first part with a charset declares, for raw 8-bit file names. */
  #charset: string | null = null

  constructor(raw: Uint8Array) {
    this.#octets = bufferOver(raw)
  }

  run(): { fields: readonly HeaderField[]; root: Node } {
    const start = startOfMessage(this.#octets)
    const { node: root, fields } = this.#openEntity(start, 'text/plain')
    let at = root.start
    while (this.#open.length > 0) {
      const line = this.#findDelimiterLine(at)
      if (line === -1) break
      const end = endOfLine(this.#octets, line)
      const hit = this.#matchBoundary(line)
      if (hit !== null && !hit.isClose && this.#count >= maxParts) break
      at = hit === null ? end : this.#handle(hit, line, end)
    }
    this.#closeFrom(0, this.#octets.length)
    return { fields, root }
  }

  /** Acts on a boundary line; returns where to go on. */
  #handle(hit: { index: number; isClose: boolean }, line: number, lineEnd: number): number {
    // RFC 2046 5.1.1: the line break before a boundary belongs to the boundary.
    this.#closeFrom(hit.isClose ? hit.index : hit.index + 1, beforeLineBreak(this.#octets, line))
    const parent = this.#open[hit.index]?.node
    // A delimiter that ends the message opens nothing: the sender forgot the closing hyphens.
    if (hit.isClose || parent === undefined || lineEnd >= this.#octets.length) return lineEnd
    // RFC 2046 5.1.5.
    const defaultType = parent.description.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
    const { node } = this.#openEntity(lineEnd, defaultType)
    parent.children.push(node)
    return node.start
  }

  /** Ends the leaf, and every open multipart from `index` on. */
  #closeFrom(index: number, end: number): void {
    if (this.#leaf !== null) this.#leaf.end = Math.max(this.#leaf.start, end)
    this.#leaf = null
    while (this.#open.length > index) {
      const last = this.#open.pop()
      if (last === undefined) return
      last.node.end = Math.max(last.node.start, end)
      if (last.hidden === undefined) this.#boundaries.delete(last.boundary)
      else this.#boundaries.set(last.boundary, last.hidden)
    }
  }

  #openEntity(start: number, defaultType: string): { node: Node; fields: readonly HeaderField[] } {
    const isDelimiter = (line: number): boolean => this.#matchBoundary(line) !== null
    const { fields, bodyStart } = parseHeaderBlock(this.#octets, start, isDelimiter)
    const description = describePart(fields, defaultType, this.#charset)
    const boundary = boundaryOf(description)
    const isTooDeep = boundary !== null && this.#open.length >= maxPartDepth
    const node: Node = { description, isTooDeep, start: bodyStart, end: bodyStart, children: [] }
    this.#count += 1
    this.#charset ??= description.params.get('charset') ?? null
    if (boundary === null || isTooDeep) {
      this.#leaf = node
    } else {
      this.#open.push({ node, boundary, hidden: this.#boundaries.get(boundary) })
      this.#boundaries.set(boundary, this.#open.length - 1)
    }
    return { node, fields }
  }

  /** The first line at or behind `at` (itself a line start) that begins with two hyphens, or -1. */
  #findDelimiterLine(at: number): number {
    if (this.#octets.subarray(at, at + 2).equals(hyphens)) return at
    const found = this.#octets.indexOf(newLineHyphens, at)
    return found === -1 ? -1 : found + 1
  }

  /**
   * Which open multipart the line belongs to. RFC 2046 5.1.1: what stands behind the boundary does not matter,
   * so the longest boundary that the line begins with is meant, one boundary being the beginning of another.
   */
  #matchBoundary(line: number): { index: number; isClose: boolean } | null {
    const end = Math.min(endOfLine(this.#octets, line), line + maxBoundaryLength + 4)
    const text = this.#octets.toString('latin1', line + 2, end)
    let longest = ''
    for (const boundary of this.#boundaries.keys()) {
      if (boundary.length > longest.length && text.startsWith(boundary)) longest = boundary
    }
    const index = this.#boundaries.get(longest)
    return index === undefined ? null : { index, isClose: text.startsWith('--', longest.length) }
  }
}

/** Behind a byte order mark and the `From ` line of an mbox. */
function startOfMessage(octets: Buffer): number {
  const start = octets[0] === 0xef && octets[1] === 0xbb && octets[2] === 0xbf ? 3 : 0
  return /^>?From /.test(octets.toString('latin1', start, start + 6)) ? endOfLine(octets, start) : start
}

function endOfLine(octets: Buffer, from: number): number {
  const end = octets.indexOf(lf, from)
  return end === -1 ? octets.length : end + 1
}

function beforeLineBreak(octets: Buffer, lineStart: number): number {
  if (octets[lineStart - 1] !== lf) return lineStart
  return octets[lineStart - 2] === cr ? lineStart - 2 : lineStart - 1
}

function boundaryOf({ type, params }: PartDescription): string | null {
  const boundary = type.startsWith('multipart/') ? params.get('boundary')?.trimEnd() : undefined
  return boundary && boundary.length <= maxBoundaryLength ? boundary : null
}

function toPart(node: Node, id: PartId, raw: Uint8Array, report: (id: PartId) => void): Part {
  const { description, children } = node
  const octets = raw.subarray(node.start, node.end)
  if (children.length > 0) {
    const parts = children.map((child, index) => toPart(child, `${id}${id && '.'}${index + 1}`, raw, report))
    return { ...description, id, sizeBytes: octets.length, content: null, children: parts }
  }
  // What should hold parts and does not is text that a person can at least read.
  const isText = description.type.startsWith('multipart/') && !node.isTooDeep
  const { content, isDamaged } = decodeTransfer(octets, description.encoding)
  if (isDamaged) report(id)
  const type = isText ? 'text/plain' : description.type
  return { ...description, type, id, sizeBytes: octets.length, content, children: [] }
}
