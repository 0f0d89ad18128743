/** mulberry32: the same values in every run, so that a failure can be repeated. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const alphabets = [
  'abcdefghijklmnopqrstuvwxyz ABC 0123 .',
  '\u0416\u0434\u0443\u043a \u0430\u0431\u0432',
  '\u4f1a\u8b70\u65e5\u672c\u8a9e\uac00',
  '\u{1f600}\u{1f469}\u200d\u{1f4bb}\u20ac\u00e9\u0301',
  '=?_-<>"\\()@:;,.[]{}%*\'~`!#$&+/|^',
  '=?utf-8?q?x?= =?UTF-8?B?YQ==?= ',
  '  \t',
].map((alphabet) => Array.from(alphabet))

/** Text of mixed writing, with what header and MIME syntax is made of in between. One line. */
export function randomText(random: (below: number) => number, length: number): string {
  let text = ''
  let alphabet = alphabets[0] ?? []
  while (text.length < length) {
    if (random(6) === 0) alphabet = alphabets[random(alphabets.length)] ?? []
    text += alphabet[random(alphabet.length)] ?? ''
  }
  return text.slice(0, length).toWellFormed()
}
