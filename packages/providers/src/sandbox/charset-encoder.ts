/** Turns text into octets of a charset. @throws RangeError for a character that the charset does not have. */
export type CharsetEncoder = (text: string, charset: string) => Uint8Array

const singleByte = /^(?:iso-8859-\d+|windows-125\d|koi8-[ru])$/

/**
 * An encoder for the charsets that mail still arrives in. The platform only decodes them, so the tables are
 * made by decoding every octet sequence once and turning the result around; they live as long as the
 * encoder, which is one build of a mailbox.
 */
export function createCharsetEncoder(): CharsetEncoder {
  const tables = new Map<string, ReadonlyMap<string, readonly number[]>>()
  const tableOf = (charset: string): ReadonlyMap<string, readonly number[]> => {
    const known = tables.get(charset)
    if (known !== undefined) return known
    const made = singleByte.test(charset) ? oneOctetTable(charset) : twoOctetTable(charset)
    tables.set(charset, made)
    return made
  }
  return (text, charset) => {
    if (charset === 'utf-8' || charset === 'us-ascii') return Buffer.from(text, 'utf8')
    if (charset === 'iso-2022-jp') return shiftJapanese(text, tableOf('euc-jp'))
    const table = tableOf(charset)
    return Uint8Array.from(Array.from(text).flatMap((character) => lookUp(table, character)))
  }
}

function lookUp(table: ReadonlyMap<string, readonly number[]>, character: string): readonly number[] {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return [code]
  const octets = table.get(character)
  if (octets === undefined) throw new RangeError(`no octets for U+${code.toString(16)}`)
  return octets
}

function oneOctetTable(charset: string): Map<string, readonly number[]> {
  const high = Array.from({ length: 128 }, (_, index) => 128 + index)
  const decoded = Array.from(new TextDecoder(charset).decode(Uint8Array.from(high)))
  return new Map(decoded.map((character, index) => [character, [128 + index]]))
}

function twoOctetTable(charset: string): Map<string, readonly number[]> {
  const leads = 0xfe - 0x81 + 1
  const trails = 0xfe - 0x40 + 1
  const octets = new Uint8Array(leads * trails * 3)
  for (let index = 0; index < leads * trails; index += 1) {
    // A newline is never the second half of a character, so one decode gives exactly one row per pair.
    octets.set([0x81 + Math.trunc(index / trails), 0x40 + (index % trails), 0x0a], index * 3)
  }
  const table = new Map<string, readonly number[]>()
  for (const [index, row] of new TextDecoder(charset).decode(octets).split('\n').entries()) {
    const code = row.codePointAt(0) ?? 0
    const isOne = row.length === (code > 0xffff ? 2 : 1)
    const isPrivate = code >= 0xe000 && code <= 0xf8ff
    if (isOne && code > 0x7f && code !== 0xfffd && !isPrivate && !table.has(row)) {
      table.set(row, [0x81 + Math.trunc(index / trails), 0x40 + (index % trails)])
    }
  }
  return table
}

/** RFC 1468: `ESC $ B` enters the two-octet set, `ESC ( B` leaves it; EUC-JP is the same set with the high bit on. */
function shiftJapanese(text: string, table: ReadonlyMap<string, readonly number[]>): Uint8Array {
  const octets: number[] = []
  let isWide = false
  for (const character of text) {
    const found = lookUp(table, character)
    if (found.length === 2 && !isWide) octets.push(0x1b, 0x24, 0x42)
    if (found.length === 1 && isWide) octets.push(0x1b, 0x28, 0x42)
    isWide = found.length === 2
    octets.push(...found.map((octet) => octet & 0x7f))
  }
  if (isWide) octets.push(0x1b, 0x28, 0x42)
  return Uint8Array.from(octets)
}
