import { parseStructuredHeader } from './parse-structured-header.ts'
import { findHeader, type HeaderField } from './header.ts'
import { rawText, type RawText } from './text.ts'

/** What the MIME header of a part says about it: a `Part` without place, size and content. */
export interface PartDescription {
  readonly type: string
  readonly params: ReadonlyMap<string, string>
  readonly disposition: 'inline' | 'attachment' | null
  readonly filename: RawText | null
  readonly contentId: string | null
  readonly encoding: string
}

/**
 * Reads the MIME fields of one part. A missing or unreadable Content-Type is `defaultType` or text/plain
 * (RFC 2045 5.2); a disposition of another kind than inline is an attachment (RFC 2183 2.8).
 */
export function describePart(
  fields: readonly HeaderField[],
  defaultType: string,
  fallbackCharset: string | null,
): PartDescription {
  const typeHeader = findHeader(fields, 'Content-Type')
  const type = parseStructuredHeader(typeHeader ?? '', fallbackCharset)
  const disposition = parseStructuredHeader(findHeader(fields, 'Content-Disposition') ?? '', fallbackCharset)
  const encoding = /^[^\s;(]+/.exec(findHeader(fields, 'Content-Transfer-Encoding') ?? '')?.[0]
  return {
    type: mediaType(type.value) ?? (typeHeader === null ? defaultType : 'text/plain'),
    params: type.params,
    disposition: dispositionOf(disposition.value),
    filename: filenameOf(disposition.params, type.params),
    contentId: contentIdOf(findHeader(fields, 'Content-ID')),
    encoding: (encoding ?? '7bit').toLowerCase(),
  }
}

/** `major/minor` in lower case, or null for what is none. */
export function mediaType(value: string): string | null {
  const type = value.toLowerCase()
  return type.length <= 200 && /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(type) ? type : null
}

/** `inline`, `attachment` (also for what nobody knows), or null where nothing is said. */
export function dispositionOf(value: string): 'inline' | 'attachment' | null {
  if (value === '') return null
  return value.toLowerCase() === 'inline' ? 'inline' : 'attachment'
}

/** The name of a file, by its disposition or else by its type; empty names are none. */
export function filenameOf(
  disposition: ReadonlyMap<string, string>,
  type: ReadonlyMap<string, string>,
): RawText | null {
  const name =
    disposition.get('filename') || disposition.get('name') || type.get('name') || type.get('filename')
  return name ? rawText(name) : null
}

/** A Content-ID without its angle brackets, or null. */
export function contentIdOf(value: string | null): string | null {
  const id = value?.trim().replace(/^<|>$/g, '') ?? ''
  return id === '' ? null : id
}
