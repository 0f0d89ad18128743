import { cleanLine, type RawText } from '@postern/mail'

const maxName = 180

/**
 * The header that makes a browser keep a file and never open it, with its name twice: in ASCII for all, and whole.
 * RFC 6266 section 4 and appendix D, RFC 8187 section 3.2.
 * @param fallback for a file without a name, or with one that names a place.
 */
export function contentDisposition(filename: RawText | null, fallback: string): string {
  const name = safeName(filename, fallback)
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const both = `attachment; filename="${ascii}"`
  return ascii === name ? both : `${both}; filename*=UTF-8''${encodeName(name)}`
}

/** A name that is a name everywhere: no folder, no drive, nothing hidden, nothing that a shell or Windows reads otherwise. */
function safeName(filename: RawText | null, fallback: string): string {
  const line = filename === null ? '' : cleanLine(filename, maxName)
  const name = line
    .replace(/[\p{C}/\\<>:"|?*]/gu, '_')
    .replace(/^\.+/, '_')
    .replace(/[. ]+$/, '')
  return name === '' ? fallback : name
}

/** `attr-char` of RFC 8187 stays; encodeURIComponent leaves four more than that. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
