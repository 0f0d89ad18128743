import { bufferOver } from './buffer-over.ts'

/** Octets with a transfer encoding undone. */
export interface DecodedOctets {
  readonly content: Uint8Array
  /** True when the encoding was broken; `content` holds what could be decoded. */
  readonly isDamaged: boolean
}

/**
 * Undoes a Content-Transfer-Encoding, once. Never throws: damage is reported beside what could be decoded.
 * `encoding` is the header's value in any case and with whatever stands behind it; an encoding nobody knows
 * passes the octets through and counts as damage, because something was left undone.
 * Source: RFC 2045 section 6.
 */
export function decodeTransfer(octets: Uint8Array, encoding: string): DecodedOctets {
  switch (normaliseEncoding(encoding)) {
    case 'base64':
      return decodeBase64(octets)
    case 'quotedprintable':
      return decodeQuotedPrintable(octets)
    case 'xuuencode':
    case 'uuencode':
    case 'xuue':
      return decodeUuencode(octets)
    case '':
    case '7bit':
    case '8bit':
    case 'binary':
      return { content: octets, isDamaged: false }
    default:
      return { content: octets, isDamaged: true }
  }
}

/** `Quoted-Printable (foo)` and `8-bit` as their bare letters and digits. */
function normaliseEncoding(encoding: string): string {
  const token = /^[\s"']*([\w-]*)/.exec(encoding)?.[1] ?? ''
  return token.slice(0, 40).toLowerCase().replace(/[_-]/g, '')
}

const base64Values = new Int8Array(256).fill(-1)
for (const [value, character] of Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
).entries()) {
  base64Values[character.charCodeAt(0)] = value
}

/**
 * Base64, tolerant: foreign octets are passed over and reported, missing padding is no damage. Padding ends
 * a run. Further whole runs may follow (files encoded in pieces); anything else behind it is what a list
 * server or scanner put below, and must not be decoded into noise.
 */
export function decodeBase64(octets: Uint8Array): DecodedOctets {
  const out = new Uint8Array(Math.ceil((octets.length * 3) / 4) + 3)
  let length = 0
  let bits = 0
  let held = 0
  let endOfFirstRun = -1
  let isDamaged = false
  const firstRunOnly = (): DecodedOctets => ({ content: out.subarray(0, endOfFirstRun), isDamaged: true })
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] ?? 0
    const value = base64Values[octet] ?? -1
    if (value >= 0) {
      bits = ((bits << 6) | value) & 0xffffff
      held += 1
      if (held === 4) {
        out[length] = bits >> 16
        out[length + 1] = (bits >> 8) & 0xff
        out[length + 2] = bits & 0xff
        length += 3
        held = 0
      }
    } else if (octet === equals) {
      if (held === 1 && endOfFirstRun !== -1) return firstRunOnly()
      length = flushBase64(out, length, bits, held)
      isDamaged ||= held === 1
      held = 0
      if (endOfFirstRun === -1) endOfFirstRun = length
    } else if (!isWhite(octet)) {
      isDamaged = true
      if (endOfFirstRun !== -1) return firstRunOnly()
    }
  }
  if (held > 0 && endOfFirstRun !== -1) return firstRunOnly()
  length = flushBase64(out, length, bits, held)
  return { content: out.subarray(0, length), isDamaged: isDamaged || held === 1 }
}

/** Writes the one or two octets of an unfinished group; one character alone holds none. Returns the new length. */
function flushBase64(out: Uint8Array, length: number, bits: number, held: number): number {
  if (held === 2) out[length] = (bits >> 4) & 0xff
  if (held === 3) {
    out[length] = (bits >> 10) & 0xff
    out[length + 1] = (bits >> 2) & 0xff
  }
  return length + Math.max(0, held - 1)
}

const equals = 0x3d
const cr = 0x0d
const lf = 0x0a

function isBlank(octet: number | undefined): boolean {
  return octet === 0x20 || octet === 0x09
}

function isWhite(octet: number): boolean {
  return isBlank(octet) || octet === cr || octet === lf
}

const hexValues = new Int8Array(256).fill(-1)
for (const [value, pair] of [
  '0',
  '1',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
  '9',
  'aA',
  'bB',
  'cC',
  'dD',
  'eE',
  'fF',
].entries()) {
  for (const character of pair) hexValues[character.charCodeAt(0)] = value
}

/**
 * Quoted-printable. Soft line breaks go, white space before a line end goes (6.7 rule 3: transports add it), an
 * escape that is none stays as it is written and is reported.
 */
export function decodeQuotedPrintable(octets: Uint8Array): DecodedOctets {
  const out = new Uint8Array(octets.length)
  let length = 0
  // Where the line would end if only white space followed: blanks that were escaped are inside of it.
  let kept = 0
  let isDamaged = false
  let at = 0
  while (at < octets.length) {
    const octet = octets[at] ?? 0
    at += 1
    if (octet === equals) {
      const high = hexValues[octets[at] ?? 0] ?? -1
      const low = hexValues[octets[at + 1] ?? 0] ?? -1
      const lineEnd = high >= 0 ? -1 : softBreakEnd(octets, at)
      if (high >= 0 && low >= 0) {
        out[length++] = high * 16 + low
        at += 2
      } else if (lineEnd !== -1) {
        at = lineEnd
      } else {
        out[length++] = octet
        isDamaged = true
      }
      kept = length
    } else {
      if (octet === cr || octet === lf) length = kept
      out[length++] = octet
      if (!isBlank(octet)) kept = length
    }
  }
  return { content: out.subarray(0, kept), isDamaged }
}

/** After a `=`: the index behind its line break, with white space before it passed over, or -1 when it is none. */
function softBreakEnd(octets: Uint8Array, from: number): number {
  let at = from
  while (isBlank(octets[at])) at += 1
  if (at >= octets.length) return at
  if (octets[at] === cr && octets[at + 1] === lf) return at + 2
  return octets[at] === lf || octets[at] === cr ? at + 1 : -1
}

/** The first file of a uuencoded body: the lines between `begin` and `end` (POSIX uuencode). */
function decodeUuencode(octets: Uint8Array): DecodedOctets {
  const text = bufferOver(octets).toString('latin1')
  const begin = /^begin [0-7]{3,4} .*\r?\n/m.exec(text)
  if (begin === null) return { content: octets, isDamaged: true }
  const out = new Uint8Array(text.length + 3)
  let length = 0
  for (const line of text.slice(begin.index + begin[0].length).split('\n')) {
    if (line.startsWith('end')) return { content: out.subarray(0, length), isDamaged: false }
    // No line holds more octets than characters, whatever its count says.
    const count = Math.min((line.charCodeAt(0) - 32) & 63, line.length)
    for (let group = 0; group * 3 < count; group += 1) {
      const [a, b, c, d] = [1, 2, 3, 4].map(
        (offset) => ((line.charCodeAt(group * 4 + offset) || 32) - 32) & 63,
      )
      const bits = ((a ?? 0) << 18) | ((b ?? 0) << 12) | ((c ?? 0) << 6) | (d ?? 0)
      out.set([bits >> 16, (bits >> 8) & 0xff, bits & 0xff], length + group * 3)
    }
    length += count
  }
  return { content: out.subarray(0, length), isDamaged: true }
}
