/** Control characters, bidi controls and the like would let an answer write over the terminal. */
export function printable(text: string): string {
  return text.replace(/[^\P{C}\t\n]|[\u2028\u2029]/gu, '')
}

/** Terminal columns: East Asian wide characters take two, combining marks none. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) {
    if (/\p{M}/u.test(character)) continue
    columns += isWide(character.codePointAt(0) ?? 0) ? 2 : 1
  }
  return columns
}

// The wide blocks of Unicode's EastAsianWidth that mail is likely to hold: Hangul, CJK, full-width forms, emoji.
function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  )
}

/** Cuts to a number of columns, with three dots where something is missing. */
export function fit(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const character of text) {
    used += columnsOf(character)
    if (used > columns - 3) break
    kept += character
  }
  return `${kept}...`
}

/** Rows under headings, two spaces between columns, no column wider than `widest`. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  widest = 60,
): string {
  const cells = [headings, ...rows].map((row) =>
    row.map((cell) => fit(printable(cell).replaceAll('\n', ' '), widest)),
  )
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => columnsOf(row[column] ?? ''))))
  const lines = cells.map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  '))
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}

/** `name  value` lines with the values under each other. */
export function facts(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => columnsOf(name)))
  return pairs.map(([name, value]) => `${pad(name, width)}  ${printable(value)}`.trimEnd()).join('\n') + '\n'
}

/** Every line set in by some spaces. */
export function indent(text: string, spaces = 2): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(spaces))
}

function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)))
}
