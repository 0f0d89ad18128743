import type { RawText } from './text.ts'

/** IMAP section number (`1.2`, `TEXT` never) or a provider's part id. The root of a multipart is the empty string. */
export type PartId = string

/**
 * One MIME node, the same for every provider. Children of message/rfc822 are not descended into: an attached
 * message is an attachment. Type is lower-case `major/minor`; parameter names are lower-case, their values decoded.
 */
export interface Part {
  readonly id: PartId
  readonly type: string
  readonly params: ReadonlyMap<string, string>
  readonly disposition: 'inline' | 'attachment' | null
  /** Content-Disposition filename or Content-Type name, RFC 2231 and RFC 2047 decoded. */
  readonly filename: RawText | null
  /** Content-ID without angle brackets. */
  readonly contentId: string | null
  /** Octets as transferred (before the transfer encoding is undone), or null where unknown. */
  readonly sizeBytes: number | null
  /** Transfer encoding still to undo by whoever reads the part: lower-case, `7bit` when absent. */
  readonly encoding: string
  /** Octets with the transfer encoding undone and the charset not; null until `readParts` brings them. */
  readonly content: Uint8Array | null
  readonly children: readonly Part[]
}

/** What to read of a part: at most `maxBytes` decoded octets, from the start. */
export interface PartRequest {
  readonly partId: PartId
  readonly encoding: string
  readonly maxBytes: number
}

/** The octets of one part, transfer encoding undone exactly once. */
export interface PartContent {
  readonly partId: PartId
  readonly content: Uint8Array
  /** True when the part goes on after `content`. */
  readonly isCut: boolean
  /** True when the transfer encoding was broken (bad base64, cut quoted-printable): what could be decoded is there. */
  readonly isDamaged: boolean
}

/** Walks a tree depth first, the node itself first. */
export function* walkParts(part: Part): Generator<Part> {
  yield part
  for (const child of part.children) yield* walkParts(child)
}
