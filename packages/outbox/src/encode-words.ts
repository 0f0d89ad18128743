/**
 * Longest encoded word that is written. RFC 2047 2 allows 75, and lines of 76: with this one the longest field name
 * still fits before the first.
 */
const maxWordChars = 64
const frame = '=?UTF-8?B??='.length
const maxBase64Octets = Math.floor((maxWordChars - frame) / 4) * 3
const maxQuotedChars = maxWordChars - frame

/**
 * Text as encoded words, to be parted by folds or blanks (which do not count, RFC 2047 6.2). No character is split
 * over two words. What is mostly Latin stays readable, everything else is shorter in base64.
 * Source: RFC 2047 4 and 5, with the narrow alphabet of 5 (3), which may also stand in names.
 */
export function encodeWords(text: string): readonly string[] {
  const isReadable = (text.match(/[\w ]/g) ?? []).length * 2 > text.length
  const [encoding, cost, write, room] = isReadable
    ? (['Q', quotedCost, writeQuoted, maxQuotedChars] as const)
    : (['B', octetCost, writeBase64, maxBase64Octets] as const)
  return split(text, cost, room).map((piece) => `=?UTF-8?${encoding}?${write(piece)}?=`)
}

function split(text: string, cost: (character: string) => number, room: number): readonly string[] {
  const pieces: string[] = []
  let piece = ''
  let used = 0
  for (const character of text) {
    const needed = cost(character)
    if (used + needed > room) {
      pieces.push(piece)
      piece = ''
      used = 0
    }
    piece += character
    used += needed
  }
  return piece === '' ? pieces : [...pieces, piece]
}

function octetCost(character: string): number {
  return Buffer.byteLength(character)
}

function quotedCost(character: string): number {
  return isLiteral(character) ? 1 : octetCost(character) * 3
}

/** Stands for itself; a blank is written as an underscore. */
function isLiteral(character: string): boolean {
  return /^[A-Za-z0-9!*+/ -]$/.test(character)
}

function writeBase64(piece: string): string {
  return Buffer.from(piece, 'utf8').toString('base64')
}

function writeQuoted(piece: string): string {
  return Array.from(piece, (character) => {
    if (character === ' ') return '_'
    if (isLiteral(character)) return character
    return Array.from(
      Buffer.from(character, 'utf8'),
      (octet) => `=${octet.toString(16).toUpperCase().padStart(2, '0')}`,
    ).join('')
  }).join('')
}
