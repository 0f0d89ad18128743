const signatureMark = '-- '

/**
 * Joins the lines that `format=flowed` broke: a line that ends in a space goes on in the next one of the same quote
 * depth. Space-stuffing is undone, with `DelSp=yes` the space at the break too; the signature mark stays a line.
 * Expects `\n` line ends. Linear.
 * Source: RFC 3676 4.2-4.5.
 */
export function unflow(text: string, deletesSpace: boolean): string {
  const paragraphs: string[] = []
  let pieces: string[] = []
  let depth = 0
  const finish = (): void => {
    if (pieces.length > 0) paragraphs.push(quote(pieces.join(''), depth))
    pieces = []
  }
  for (const line of text.split('\n')) {
    const marks = quoteDepth(line)
    const content = line.slice(marks).replace(/^ /, '')
    // 4.5: a change of depth ends a paragraph, whatever its last line says.
    if (marks !== depth || content === signatureMark) finish()
    depth = marks
    const isFlowed = content.endsWith(' ') && content !== signatureMark
    pieces.push(isFlowed && deletesSpace ? content.slice(0, -1) : content)
    if (!isFlowed) finish()
  }
  finish()
  return paragraphs.join('\n')
}

function quoteDepth(line: string): number {
  let depth = 0
  while (line[depth] === '>') depth++
  return depth
}

function quote(content: string, depth: number): string {
  if (depth === 0) return content
  return content === '' ? '>'.repeat(depth) : `${'>'.repeat(depth)} ${content}`
}
