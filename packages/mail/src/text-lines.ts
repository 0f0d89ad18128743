const maxQuoteMarks = 20
const maxIndents = 10
const collapsible = /[ \t\n\r\f\u00a0\u2007]+/

interface Item {
  /** `- ` or `1. `; null once a line of the item stands. */
  marker: string | null
  readonly indent: string
}

/**
 * Builds plain text line by line from a walk through HTML: white space collapsed, blocks on lines of their own, at
 * most one blank line in a row, quotes marked with `>`, items with `-` or a number. Every method costs what it adds.
 */
export class TextLines {
  readonly #lines: string[] = []
  readonly #items: Item[] = []
  readonly #maxChars: number
  #chars = 0
  #line = ''
  #quotes = 0
  #lastQuotes = 0
  #isLastBlank = false
  #wantsBlank = false
  #hasSpace = false
  #hasSolidSpace = false
  #hasCell = false
  #isFull = false

  constructor(maxChars: number) {
    this.#maxChars = maxChars
  }

  /** True when text was left out because there was too much. */
  get isFull(): boolean {
    return this.#isFull
  }

  get lineCount(): number {
    return this.#lines.length
  }

  /** Finished lines, without the one being written. */
  get lines(): readonly string[] {
    return this.#lines
  }

  /** Adds running text; runs of white space, no-break spaces among them, become one space. */
  addText(value: string): void {
    const words = value.split(collapsible)
    if (words[0] === '') this.#hasSpace = true
    const core = words.filter((word) => word !== '').join(' ')
    if (core === '') {
      this.#hasSpace ||= words.length > 1
      this.#hasSolidSpace ||= value.includes('\u00a0')
      return
    }
    this.#append(core)
    this.#hasSpace = words.at(-1) === ''
  }

  /** Adds preformatted text: line ends and, unless `collapses`, spaces stay. */
  addPreformatted(value: string, collapses: boolean): void {
    value.split('\n').forEach((piece, index) => {
      if (index > 0) this.endLine()
      if (collapses) this.addText(piece)
      else if (piece !== '') this.#append(piece)
    })
  }

  /** `<br>`: ends the line, or leaves a blank one. */
  endLine(): void {
    if (this.#line === '') this.#addBlank(this.#quotes)
    else this.#flush()
  }

  /** The edge of a block: what follows starts on a new line. */
  breakLine(): void {
    if (this.#line !== '') this.#flush()
    else if (this.#hasSolidSpace) this.#addBlank(this.#quotes)
    this.#hasSpace = false
    this.#hasSolidSpace = false
    this.#hasCell = false
  }

  /** The edge of a block with a margin. */
  breakParagraph(): void {
    this.breakLine()
    this.#wantsBlank = true
  }

  /** The edge between two cells of a row: a bar, where both have words on this line. */
  breakCell(): void {
    this.#hasCell = this.#line !== ''
  }

  /** Adds words that belong to the text before them, even if its line has ended. `since`: first line they may join. */
  addSuffix(suffix: string, since: number): void {
    const last = this.#lines.length - 1
    if (this.#line === '' && last >= since && !this.#isLastBlank) {
      this.#lines[last] += suffix
      this.#chars += suffix.length
    } else if (this.#line !== '') this.#line += suffix
    else this.#append(suffix.trimStart())
  }

  openQuote(): void {
    this.breakLine()
    this.#quotes++
  }

  closeQuote(): void {
    this.breakLine()
    this.#quotes--
  }

  openItem(marker: string): void {
    this.breakLine()
    this.#items.push({ marker, indent: ' '.repeat(marker.length) })
  }

  closeItem(): void {
    this.breakLine()
    this.#items.pop()
  }

  #append(text: string): void {
    if (this.#line !== '') this.#line += this.#hasCell ? ' | ' : this.#hasSpace ? ' ' : ''
    this.#line += text
    this.#hasCell = false
    this.#hasSpace = false
  }

  #flush(): void {
    if (this.#wantsBlank) this.#addBlank(Math.min(this.#quotes, this.#lastQuotes))
    const marks = this.#quoteMarks(this.#quotes)
    this.#push(`${marks === '' ? '' : `${marks} `}${this.#indents()}${this.#line.trimEnd()}`)
    this.#isLastBlank = false
    this.#lastQuotes = this.#quotes
    this.#line = ''
    this.#hasSpace = false
  }

  #addBlank(quotes: number): void {
    this.#wantsBlank = false
    if (this.#isLastBlank || this.#lines.length === 0) return
    this.#push(this.#quoteMarks(quotes))
    this.#isLastBlank = true
  }

  #push(line: string): void {
    this.#wantsBlank = false
    if (this.#chars + line.length + 1 > this.#maxChars) this.#isFull = true
    if (this.#isFull) return
    this.#chars += line.length + 1
    this.#lines.push(line)
  }

  #quoteMarks(quotes: number): string {
    return '>'.repeat(Math.min(quotes, maxQuoteMarks))
  }

  #indents(): string {
    let indents = ''
    for (const item of this.#items.slice(-maxIndents)) {
      indents += item.marker ?? item.indent
      item.marker = null
    }
    return indents
  }
}
