const dropped = ['script', 'style', 'template', 'svg', 'head', 'title']
const blockEnd = /^(?:br|p|div|tr|li|ul|ol|table|h[1-6]|blockquote|pre|hr)$/
const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])

/**
 * The words of HTML that could not be parsed within its limits: tags out, entities decoded once, white space
 * collapsed. Crude and linear. It sees no styles, so hidden text stays in, and whoever uses it says so.
 */
export function stripTags(html: string): string {
  const lower = html.toLowerCase()
  const pieces: string[] = []
  let from = 0
  while (from < html.length) {
    const open = html.indexOf('<', from)
    if (open === -1) break
    pieces.push(html.slice(from, open))
    const { end, text } = skipMarkup(lower, open)
    pieces.push(text)
    from = end
  }
  pieces.push(html.slice(from))
  return tidy(decodeEntities(pieces.join('')))
}

/** Where the markup at `open` ends, and what stands for it. What is no markup stands for itself. */
function skipMarkup(lower: string, open: number): { end: number; text: string } {
  if (lower.startsWith('<!--', open)) return { end: endOf(lower, '-->', open), text: '' }
  const name = /^\/?([a-z][a-z0-9]{0,20})/.exec(lower.slice(open + 1, open + 24))?.[1]
  if (name === undefined && !/^<[/!?]/.test(lower.slice(open, open + 2))) return { end: open + 1, text: '<' }
  if (name !== undefined && dropped.includes(name) && lower[open + 1] !== '/') {
    const close = endOf(lower, `</${name}`, open)
    return { end: close === lower.length ? close : endOf(lower, '>', close), text: '' }
  }
  return { end: endOf(lower, '>', open), text: name !== undefined && blockEnd.test(name) ? '\n' : '' }
}

/** Index behind the next `mark`, or the end: looking again for what was not there would cost the square. */
function endOf(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from)
  return index === -1 ? text.length : index + mark.length
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi,
    (whole: string, ...groups: unknown[]) => {
      const [decimal, hex, name] = groups
      if (typeof name === 'string') return entities.get(name.toLowerCase()) ?? whole
      const codePoint =
        typeof decimal === 'string' ? Number.parseInt(decimal, 10) : Number.parseInt(String(hex), 16)
      return codePoint > 0x10ffff ? '\ufffd' : String.fromCodePoint(codePoint)
    },
  )
}

function tidy(text: string): string {
  const lines = text.split(/\r\n?|\n/).map((line) =>
    line
      .split(/[ \t\f\u00a0]+/)
      .join(' ')
      .trim(),
  )
  return lines
    .filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''))
    .join('\n')
    .trim()
}
