import { decodeText } from './charset.ts'
import { chooseBody, type BodyPart } from './choose-body.ts'
import { parseMime } from './parse-mime.ts'
import { walkParts, type Part, type PartId } from './part.ts'
import { rawText, type RawText } from './text.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/** First words of a message. `html` is markup, cut anywhere; who shows it strips the tags first. */
export interface Snippet {
  readonly kind: 'plain' | 'html'
  readonly text: RawText
}

/** The text a message begins with: the first of its body, or null where there is none. */
export function firstTextPart(tree: Part): BodyPart | null {
  return chooseBody(tree).parts[0] ?? null
}

/**
 * The words in the first octets of a part, as transferred (an IMAP partial fetch), or null when that part is
 * no text of the body. A multipart is looked into, as far as the octets go. The cut may fall inside an
 * escape or a character: half of one is dropped, not shown as damage.
 */
export function decodeSnippet(tree: Part, partId: PartId, octets: Uint8Array): Snippet | null {
  const part = walkParts(tree).find(({ id }) => id === partId)
  if (part === undefined) return null
  const whole = withoutHalfEscape(octets)
  if (part.children.length > 0) return snippetOf(parseMime(Buffer.concat([headerFor(part), whole])).tree)
  const { parts, alternatives } = chooseBody(tree)
  if (![...parts, ...alternatives].some((text) => text.part === part)) return null
  return snippetOf({ ...part, content: decodeTransfer(whole, part.encoding).content })
}

function snippetOf(tree: Part): Snippet | null {
  const first = firstTextPart(tree)
  if (first === null || first.part.content === null) return null
  const { text } = decodeText(first.part.content, first.part.params.get('charset') ?? null)
  return { kind: first.kind, text: rawText(text.replace(/\ufffd+$/, '')) }
}

/** Without a `=` or `=E` at the end: a cut-off quoted-printable escape. Base64 does without its padding. */
function withoutHalfEscape(octets: Uint8Array): Uint8Array {
  const mark = octets.lastIndexOf(equals)
  return mark !== -1 && mark >= octets.length - 2 ? octets.subarray(0, mark) : octets
}

const equals = 0x3d

/** The header field that lets the octets of a multipart be parsed by themselves. */
function headerFor(part: Part): Buffer {
  const params = ['boundary', 'start'].flatMap((name) => {
    const value = part.params.get(name)?.replace(/[\r\n]/g, '')
    return value === undefined ? [] : [`; ${name}="${value.replace(/["\\]/g, '\\$&')}"`]
  })
  return Buffer.from(`Content-Type: ${part.type}${params.join('')}\r\n\r\n`, 'latin1')
}
