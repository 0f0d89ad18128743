/**
 * A mailbox name as text. RFC 3501 5.1.3: printable ASCII stands for itself, `&-` for an ampersand, and
 * `&...-` holds UTF-16 in base64 with `,` for `/`. A name that breaks these rules anywhere is returned as it
 * is: it still is somebody's folder, and half of a decoding would be a name of our own making.
 */
export function decodeModifiedUtf7(name: string): string {
  if (!name.includes('&')) return name
  let decoded = ''
  let at = 0
  while (at < name.length) {
    const start = name.indexOf('&', at)
    if (start === -1) return decoded + name.slice(at)
    const end = name.indexOf('-', start)
    if (end === -1) return name
    const run = end === start + 1 ? '&' : decodeRun(name.slice(start + 1, end))
    if (run === null) return name
    decoded += name.slice(at, start) + run
    at = end + 1
  }
  return decoded
}

/** The name as a server without UTF8=ACCEPT spells it. Whatever is decoded above is encoded to what it came from. */
export function encodeModifiedUtf7(name: string): string {
  return name.replaceAll(/&|[^\x20-\x7e]+/g, (run) => (run === '&' ? '&-' : encodeRun(run)))
}

function encodeRun(run: string): string {
  const octets = Buffer.from(run, 'utf16le').swap16()
  return `&${octets.toString('base64').replace(/=+$/, '').replaceAll('/', ',')}-`
}

// Canonical runs only: whole UTF-16 units, zero bits behind the last, no lone surrogates, nothing that ASCII says.
function decodeRun(run: string): string | null {
  if (!/^[A-Za-z0-9+,]+$/.test(run)) return null
  const base64 = run.replaceAll(',', '/')
  const octets = Buffer.from(base64, 'base64')
  if (octets.length % 2 !== 0 || octets.toString('base64').replace(/=+$/, '') !== base64) return null
  const text = octets.swap16().toString('utf16le')
  return text.isWellFormed() && !/[\x20-\x7e]/.test(text) ? text : null
}
