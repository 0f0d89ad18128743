/** Collects text up to a number of UTF-16 units. */
export class TextSink {
  readonly #max: number
  readonly #pieces: string[] = []
  #length = 0

  constructor(max: number) {
    this.#max = max
  }

  add(piece: string): void {
    if (this.isFull) return
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  /** More than is wanted: what is beyond it is cut. */
  get isFull(): boolean {
    return this.#length > this.#max
  }

  /** Without empty lines before and white space behind. */
  toText(): string {
    return this.#pieces.join('').slice(0, this.#max).replace(/^\n+/, '').trimEnd()
  }
}
