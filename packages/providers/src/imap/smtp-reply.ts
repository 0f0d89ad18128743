import type { Fault } from '@postern/core'
import { notSmtp } from './smtp-faults.ts'

/** A reply of a submission server. RFC 5321 4.2. */
export interface SmtpReply {
  /** 200 to 599. */
  readonly code: number
  /** RFC 3463, taken from the front of the text (RFC 2034 4); null where none is there, or one that contradicts `code`. */
  readonly enhancedCode: string | null
  /** What stands behind the code on each line: a stranger's words, for keywords and the log. */
  readonly lines: readonly string[]
}

/** RFC 5321 4.5.3.1.5 has 512; servers that link to their explanations write more. */
const maxLineOctets = 2_048
/** No server has so much to offer, or to explain. */
const maxLines = 128
/** Replies that nobody has taken yet: more than two were never asked for. */
const maxWaiting = 8

const nothing: Buffer = Buffer.alloc(0)
const lineShape = /^([2-5]\d\d)(?:([ -])([^]*))?$/

/** Makes replies of octets as they come, within bounds: what is longer than any reply ends the conversation. */
export class SmtpReplyReader {
  readonly #waiting: SmtpReply[] = []
  #rest = nothing
  #failure: Fault | null = null
  #code: string | null = null
  #lines: string[] = []

  /** What a server said that is no reply, or none of a bearable length; nothing is taken any more then. */
  get failure(): Fault | null {
    return this.#failure
  }

  feed(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      this.#gather(chunk.subarray(from, end))
      if (this.#failure !== null) return
      this.#takeLine(this.#rest)
      this.#rest = nothing
      from = end + 1
    }
    this.#gather(chunk.subarray(from))
  }

  /** The next whole reply, or null while there is none. */
  take(): SmtpReply | null {
    return this.#waiting.shift() ?? null
  }

  get hasReply(): boolean {
    return this.#waiting.length > 0
  }

  /** Nothing was said that was not taken, not even a part of a reply. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#lines.length === 0 && this.#rest.length === 0
  }

  #gather(piece: Buffer): void {
    if (this.#rest.length + piece.length > maxLineOctets) this.#breakOff('a line without an end')
    else if (piece.length > 0) this.#rest = Buffer.concat([this.#rest, piece])
  }

  #takeLine(octets: Buffer): void {
    const line = octets.toString('utf8').replace(/\r$/, '')
    const [, code, separator, text = ''] = lineShape.exec(line) ?? []
    if (code === undefined) return this.#breakOff('a line that is no reply')
    // RFC 5321 4.2.1: every line of a reply carries the same code.
    if (this.#code !== null && this.#code !== code) return this.#breakOff('a reply with two codes')
    this.#code = code
    this.#lines.push(text)
    if (this.#lines.length > maxLines) return this.#breakOff('a reply without an end')
    if (separator === '-') return
    if (this.#waiting.length === maxWaiting) return this.#breakOff('replies that were not asked for')
    const enhancedCode = enhancedCodeOf(code, this.#lines)
    this.#waiting.push({ code: Number(code), enhancedCode, lines: this.#lines })
    this.#code = null
    this.#lines = []
  }

  #breakOff(what: string): void {
    this.#failure ??= notSmtp(what)
  }
}

function enhancedCodeOf(code: string, [first = '']: readonly string[]): string | null {
  const found = /^([245]\.\d{1,3}\.\d{1,3})(?: |$)/.exec(first)?.[1]
  return found !== undefined && found[0] === code[0] ? found : null
}
