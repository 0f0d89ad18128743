import { contentIdOf, decodeParameters, dispositionOf, filenameOf, mediaType, type Part } from '@postern/mail'
import { isList, tokenOctets, tokenText, type Token } from './wire.ts'

/** Nesting and number of parts above which a structure is a bomb, not a message. */
const maxDepth = 60
const maxParts = 2_000

type Params = ReadonlyMap<string, string>

/**
 * A raw BODYSTRUCTURE as a part tree; null when it is none (missing, malformed, too deep, too many parts).
 * Section numbers follow RFC 3501 6.4.5: the children of the root are 1, 2, 3; the only part of a message
 * that is not a multipart is 1; a multipart root is the empty string. Attached messages are not entered.
 */
export function partsOf(structure: Token): Part | null {
  if (!isList(structure)) return null
  return readPart(structure, isList(structure[0]) ? '' : '1', { depth: 0, seen: { count: 0 } })
}

interface Walk {
  readonly depth: number
  readonly seen: { count: number }
}

function readPart(tokens: readonly Token[], id: string, walk: Walk): Part | null {
  walk.seen.count += 1
  if (walk.depth > maxDepth || walk.seen.count > maxParts) return null
  return isList(tokens[0]) ? readMultipart(tokens, id, walk) : readLeaf(tokens, id)
}

// RFC 9051 body-type-mpart: 1*body SP media-subtype [SP params [SP disposition [SP language [SP location]]]]
function readMultipart(tokens: readonly Token[], id: string, walk: Walk): Part | null {
  const count = tokens.findIndex((token) => !isList(token))
  const subtype = tokenText(tokens[count])
  if (count === -1 || subtype === null) return null
  const children: Part[] = []
  for (const [index, child] of tokens.slice(0, count).entries()) {
    const childId = id === '' ? `${index + 1}` : `${id}.${index + 1}`
    const part = isList(child) ? readPart(child, childId, { ...walk, depth: walk.depth + 1 }) : null
    if (part === null) return null
    children.push(part)
  }
  const disposition = readDisposition(tokens[count + 2])
  return {
    id,
    type: `multipart/${subtype.toLowerCase()}`,
    params: readParams(tokens[count + 1]),
    disposition: disposition.kind,
    filename: null,
    contentId: null,
    sizeBytes: null,
    encoding: '7bit',
    content: null,
    children,
  }
}

// RFC 9051 body-type-1part: type, subtype, params, id, description, encoding, octets; for text the lines; for a
// message its envelope, body and lines; then MD5 and disposition.
function readLeaf(tokens: readonly Token[], id: string): Part | null {
  const major = tokenText(tokens[0])
  const minor = tokenText(tokens[1])
  if (major === null || minor === null) return null
  const type = mediaType(`${major}/${minor}`) ?? 'text/plain'
  const params = readParams(tokens[2])
  const disposition = readDisposition(tokens[dispositionIndex(type, tokens)])
  const size = tokenText(tokens[6])
  return {
    id,
    type,
    params,
    disposition: disposition.kind,
    filename: filenameOf(disposition.params, params),
    contentId: contentIdOf(tokenText(tokens[3])),
    sizeBytes: size !== null && /^\d{1,15}$/.test(size) ? Number(size) : null,
    encoding: tokenText(tokens[5])?.trim().toLowerCase() || '7bit',
    content: null,
    children: [],
  }
}

function dispositionIndex(type: string, tokens: readonly Token[]): number {
  if (type.startsWith('text/')) return 9
  // Some servers describe an attached message as if it were any file.
  return /^message\/(?:rfc822|global)$/.test(type) && isList(tokens[7]) ? 11 : 8
}

function readDisposition(token: Token | undefined): { kind: Part['disposition']; params: Params } {
  if (!isList(token)) return { kind: null, params: new Map() }
  return { kind: dispositionOf(tokenText(token[0]) ?? ''), params: readParams(token[1]) }
}

function readParams(token: Token | undefined): Params {
  if (!isList(token)) return new Map()
  const pairs: [name: string, value: string][] = []
  for (let at = 0; at + 1 < token.length; at += 2) {
    const name = tokenText(token[at])
    const octets = tokenOctets(token[at + 1])
    if (name !== null && octets !== null) pairs.push([name, Buffer.from(octets).toString('latin1')])
  }
  return decodeParameters(pairs, null)
}
