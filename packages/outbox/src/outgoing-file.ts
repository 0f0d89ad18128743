import { mediaType, parseStructuredHeader } from '@postern/mail'
import { Fault, quote } from '@postern/core'

/** Octets of all files of one message together, as they are before encoding. */
export const maxFilesBytes = 25 * 1024 * 1024
/** Most files of one message, pictures in its text among them. */
export const maxFiles = 100

const maxFilenameChars = 255

/** A file that goes with a message, its octets as they are. */
export interface OutgoingFile {
  /** One line, without a path; null for a picture without a name. */
  readonly filename: string | null
  /** `major/minor`, with a charset where that says how to read it. What a mail cannot carry so becomes octets. */
  readonly mimeType: string
  /** Content-ID without brackets, by which the HTML text shows it; null for everything else. */
  readonly contentId: string | null
  readonly isInline: boolean
  readonly octets: Uint8Array
}

/**
 * The size of a file before it is fetched; `label` names it in our own words or the caller's (an index, the name that
 * the caller gave), never by a name from a mailbox.
 */
export interface FileSize {
  readonly label: string
  readonly sizeBytes: number
}

/** @throws attachment_too_large naming the first file that does not fit any more; nothing was sent. */
export function requireFilesFit(sizes: readonly FileSize[]): void {
  let total = 0
  for (const { label, sizeBytes } of sizes) {
    total += sizeBytes
    if (total <= maxFilesBytes) continue
    throw new Fault('attachment_too_large', {
      public: `${quote(label)} of ${sizeBytes} bytes does not fit: all files of a message may have ${maxFilesBytes} bytes together, and up to this one they have ${total}. Nothing was sent. Leave it out, or send it by itself.`,
      details: { file: label, size_bytes: sizeBytes, total_bytes: total, limit_bytes: maxFilesBytes },
    })
  }
}

/**
 * The name under which a file is sent. @throws invalid_arguments for a line break or another control character.
 * A path is a name whose last piece counts: readers on other systems would follow it.
 */
export function requireFilename(given: string): string {
  const name = given.split(/[/\\]/).at(-1)?.trim() ?? ''
  const fault = /\p{Cc}/u.test(given)
    ? 'holds a line break or another control character'
    : name === ''
      ? 'is empty'
      : given.length > maxFilenameChars
        ? `has more than ${maxFilenameChars} characters`
        : null
  if (fault === null) return name
  throw new Fault('invalid_arguments', {
    public: `The file name ${quote(given)} ${fault}. Nothing was sent.`,
    details: { argument: 'attachments' },
  })
}

/** How a file is written: its type, and the transfer encoding that leaves its octets as they are. */
export interface FileType {
  readonly contentType: string
  readonly encoding: 'base64' | '8bit' | '7bit'
}

/**
 * A multipart that is a file has parts nobody would see, and a message may not be encoded (RFC 2046 5.2.1), so one
 * that no line of SMTP can hold unchanged goes as plain octets: its reader opens it as a file.
 */
export function fileTypeOf({ mimeType, octets }: OutgoingFile): FileType {
  const { value, params } = parseStructuredHeader(mimeType)
  const type = mediaType(value) ?? octetStream
  if (type === 'message/rfc822' && isCarriedUnchanged(octets)) {
    return { contentType: type, encoding: octets.some((octet) => octet > 0x7f) ? '8bit' : '7bit' }
  }
  const isFile = !type.startsWith('multipart/') && !type.startsWith('message/')
  const kept = keptParams.flatMap((name) => {
    const given = params.get(name)
    return given !== undefined && /^[\w.+-]{1,60}$/.test(given) ? [`; ${name}=${given}`] : []
  })
  return { contentType: isFile ? `${type}${kept.join('')}` : octetStream, encoding: 'base64' }
}

const octetStream = 'application/octet-stream'
/** The parameters without which a file is read wrongly. */
const keptParams = ['charset', 'method', 'format', 'delsp']

/** RFC 5321 4.5.2 and RFC 6152 3: whole lines of at most 998 octets, no lone CR or LF, no NUL. */
function isCarriedUnchanged(octets: Uint8Array): boolean {
  let lineStart = 0
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at]
    if (octet === 0 || (octet === 0x0d && octets[at + 1] !== 0x0a)) return false
    if (octet === 0x0a && octets[at - 1] !== 0x0d) return false
    if (at - lineStart >= 998 && octet !== 0x0d && octet !== 0x0a) return false
    if (octet === 0x0a) lineStart = at + 1
  }
  return true
}

/** A Content-ID that may stand in a header, else null. RFC 2392 and RFC 5322 3.6.4. */
export function contentIdOf(id: string | null): string | null {
  return id !== null && /^[!-;=?-~]{1,250}$/.test(id) ? id : null
}
