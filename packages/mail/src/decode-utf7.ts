import { bufferOver } from './buffer-over.ts'

/**
 * UTF-7 (RFC 2152) as text. What is no UTF-7 stands as U+FFFD or as it is; never throws. One pass over a string of its
 * octets: a body may be two million shifts of one character each.
 */
export function decodeUtf7(octets: Uint8Array): string {
  const text = bufferOver(octets)
    .toString('latin1')
    .replace(/[\x80-\xff]/g, '\ufffd')
  return text.replace(/\+([A-Za-z0-9+/]*)(-?)/g, (whole, run: string, end: string) => {
    if (run === '') return end === '' ? whole : '+'
    return decodeRun(run)
  })
}

/** UTF-16, big-endian, in base64 without padding; bits that make no whole unit are filling. */
function decodeRun(run: string): string {
  let units = ''
  let bits = 0
  let count = 0
  for (let index = 0; index < run.length; index += 1) {
    bits = ((bits << 6) | (values[run.charCodeAt(index)] ?? 0)) & 0x3fffff
    count += 6
    if (count < 16) continue
    count -= 16
    units += String.fromCharCode((bits >> count) & 0xffff)
  }
  return units
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const values = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, alphabet.indexOf(String.fromCharCode(code))),
)
