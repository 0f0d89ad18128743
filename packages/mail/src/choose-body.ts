import { decodeText } from './charset.ts'
import type { Part, PartId } from './part.ts'
import type { RawText } from './text.ts'

/** A part that a person reads as text. */
export interface BodyPart {
  readonly part: Part
  readonly kind: 'plain' | 'html'
}

/** A part that a person sees as a file. `index` counts them in the order of the tree, from 0. */
export interface Attachment {
  readonly index: number
  readonly partId: PartId
  readonly filename: RawText | null
  /** Lower-case `major/minor`. */
  readonly mimeType: string
  /** Decoded size: exact where the content is there, an estimate of a few octets for base64, else as transferred. */
  readonly sizeBytes: number | null
  /** Shown within the body rather than beside it: images that are not sent as files, and what belongs to a related root. */
  readonly isInline: boolean
  readonly encoding: string
}

export type BodyWarning = 'related_root_missing'

export interface ChosenBody {
  /** The body, in reading order. */
  readonly parts: readonly BodyPart[]
  /** `html` as soon as one of the parts is. */
  readonly source: 'plain' | 'html' | 'none'
  /**
   * Parts that were passed over in favour of `parts`. Not empty and every part of `parts` proves blank once
   * read: choose again with the ids of the blank ones.
   */
  readonly alternatives: readonly BodyPart[]
  /** The HTML form of the body, for who asks for HTML; empty where there is none. */
  readonly htmlParts: readonly Part[]
  readonly attachments: readonly Attachment[]
  readonly warnings: readonly BodyWarning[]
}

/**
 * Picks what a person would read, and what they would see as files, from the tree alone.
 *
 * Of alternatives the plain one, unless it is blank: by its content where the tree has it, or because its id
 * is in `blankParts`. In multipart/related the part that `start` names, else the first, with a warning. In all
 * other multiparts every text in order. A text with a file name or an attachment disposition is a file,
 * an attached message too; a message that is one text alone is body whatever its name.
 * Source: RFC 2046 5.1, RFC 2183, RFC 2387.
 */
export function chooseBody(tree: Part, blankParts: ReadonlySet<PartId> = new Set()): ChosenBody {
  const guessedRoots = new Set<Part>()
  const body = isSoleText(tree) ? [toBodyPart(tree)] : collect(tree, guessedRoots)
  const isBlank = rememberBlank(blankParts)
  const parts = resolve(body, (branches) => preferPlain(branches, isBlank))
  const html = resolve(body, preferHtml)
  const all = resolve(body, (branches) => branches.flat())
  const chosen = new Set(parts.map(({ part }) => part))
  return {
    parts,
    source: sourceOf(parts),
    alternatives: all.filter(({ part }) => !chosen.has(part)),
    htmlParts: html.filter(({ kind }) => kind === 'html').map(({ part }) => part),
    attachments: listAttachments(tree, new Set(all.map(({ part }) => part))),
    warnings: parts.some(({ part }) => guessedRoots.has(part)) ? ['related_root_missing'] : [],
  }
}

/** Text in reading order; a choice stands where multipart/alternative offers several forms of one text. */
type Body = readonly (BodyPart | Choice)[]

interface Choice {
  readonly branches: readonly Body[]
}

type Branch = readonly BodyPart[]

function collect(part: Part, guessedRoots: Set<Part>): Body {
  if (part.children.length === 0) return isBodyText(part) ? [toBodyPart(part)] : []
  if (part.type === 'multipart/related') return collectRelated(part, guessedRoots)
  const bodies = part.children.map((child) => collect(child, guessedRoots))
  if (part.type !== 'multipart/alternative') return bodies.flat()
  const branches = bodies.filter((branch) => branch.length > 0)
  return branches.length > 1 ? [{ branches }] : branches.flat()
}

/** RFC 2387 3.2: `start` is the Content-ID of the root. */
function collectRelated(related: Part, guessedRoots: Set<Part>): Body {
  const start = related.params.get('start')?.trim().replace(/^<|>$/g, '')
  const root = related.children.find((child) => start !== undefined && child.contentId === start)
  if (root !== undefined) return collect(root, guessedRoots)
  // The first, and where that is a picture the first that can be read: a body must not vanish with its root.
  const bodies = related.children.map((child) => collect(child, guessedRoots))
  const body = bodies.find((candidate) => candidate.length > 0) ?? []
  for (const { part } of resolve(body, (branches) => branches.flat())) guessedRoots.add(part)
  return body
}

function resolve(body: Body, choose: (branches: readonly Branch[]) => Branch): BodyPart[] {
  return body.flatMap((item) =>
    'branches' in item ? choose(item.branches.map((branch) => resolve(branch, choose))) : [item],
  )
}

/** The best of the branches that are not blank; all blank, the best of all. */
function preferPlain(branches: readonly Branch[], isBlank: (part: BodyPart) => boolean): Branch {
  const readable = branches.filter((branch) => !branch.every(isBlank))
  return bestOf(readable.length > 0 ? readable : branches, plainRank)
}

function preferHtml(branches: readonly Branch[]): Branch {
  return bestOf(branches, (branch) =>
    branch.some(({ part }) => part.type === 'text/html') ? 0 : plainRank(branch),
  )
}

/** Plain text, then HTML, then text of other kinds (enriched, AMP, watch), which senders add for few readers. */
function plainRank(branch: Branch): number {
  if (branch.every(({ part }) => part.type === 'text/plain')) return 1
  return branch.some(({ part }) => part.type === 'text/html') ? 2 : 3
}

/** Lowest rank; of equals the first, as senders that repeat a type put the text proper first. */
function bestOf(branches: readonly Branch[], rank: (branch: Branch) => number): Branch {
  return branches.reduce((best, branch) => (rank(branch) < rank(best) ? branch : best))
}

function sourceOf(parts: readonly BodyPart[]): 'plain' | 'html' | 'none' {
  if (parts.length === 0) return 'none'
  return parts.some(({ kind }) => kind === 'html') ? 'html' : 'plain'
}

// Text by name and data by use: a person opens these. RFC 2046 4.1.4 has every other text read as plain.
const dataTypes: ReadonlySet<string> = new Set(
  ['calendar', 'css', 'csv', 'directory', 'javascript', 'rfc822-headers', 'rtf', 'tab-separated-values']
    .concat(['vcard', 'x-vcard', 'x-vcalendar', 'xml'])
    .map((subtype) => `text/${subtype}`),
)

function isText(part: Part): boolean {
  return part.type === 'application/xhtml+xml' || (part.type.startsWith('text/') && !dataTypes.has(part.type))
}

function isBodyText(part: Part): boolean {
  return isText(part) && part.filename === null && part.disposition !== 'attachment'
}

/** A whole message that is one text: its name (some gateways give one) does not make it a file. */
function isSoleText(tree: Part): boolean {
  return tree.children.length === 0 && isText(tree) && tree.disposition !== 'attachment'
}

function toBodyPart(part: Part): BodyPart {
  return { part, kind: part.type.includes('html') ? 'html' : 'plain' }
}

/** Asks each part once: a choice may lie within fifty others, and looking for a letter in much space takes long. */
function rememberBlank(blankParts: ReadonlySet<PartId>): (candidate: BodyPart) => boolean {
  const known = new Map<Part, boolean>()
  return ({ part }) => {
    const isBlank = known.get(part) ?? (blankParts.has(part.id) || hasBlankContent(part))
    known.set(part, isBlank)
    return isBlank
  }
}

/** True for plain text that is there and shows nothing. */
function hasBlankContent(part: Part): boolean {
  if (part.content === null || part.type.includes('html')) return false
  // One visible ASCII octet settles it, whatever the charset, without decoding a long text.
  if (part.content.some((octet) => octet > 0x20 && octet < 0x7f)) return false
  return !/[^\s\p{Cc}\p{Cf}]/u.test(decodeText(part.content, part.params.get('charset') ?? null).text)
}

/** Every leaf that is no text of the body, chosen or passed over. */
function listAttachments(tree: Part, body: ReadonlySet<Part>): Attachment[] {
  const found: Attachment[] = []
  const visit = (part: Part, isInRelated: boolean): void => {
    for (const child of part.children) visit(child, part.type === 'multipart/related')
    if (part.children.length > 0 || body.has(part)) return
    found.push({
      index: found.length,
      partId: part.id,
      filename: part.filename,
      mimeType: part.type,
      sizeBytes: decodedSize(part),
      isInline: isInline(part, isInRelated),
      encoding: part.encoding,
    })
  }
  visit(tree, false)
  return found
}

/** Pictures become part of the text; documents that a mailer shows in place (`inline` with a file name) stay files. */
function isInline(part: Part, isInRelated: boolean): boolean {
  if (part.disposition === 'attachment') return false
  const isPicture = part.type.startsWith('image/')
  if (isInRelated) return isPicture || part.contentId !== null || part.filename === null
  return isPicture && (part.disposition === 'inline' || part.contentId !== null)
}

function decodedSize({ content, sizeBytes, encoding }: Part): number | null {
  if (content !== null) return content.length
  // RFC 2045 6.8: lines of 76 characters and a line break carry 57 octets.
  if (sizeBytes !== null && encoding === 'base64') return Math.floor((sizeBytes * 57) / 78)
  return sizeBytes
}
