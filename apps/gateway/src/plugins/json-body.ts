import { Fault } from '@postern/core'
import type { FastifyInstance } from 'fastify'

/** Brackets, commas and colons of one body; the largest call there is has some hundreds. */
const maxPieces = 20_000
const maxDepth = 64

/**
 * Looks at a body before it is parsed: within the size that is allowed JSON can hold millions of values, each of which
 * costs time and memory here and on every step behind, or a nesting that no recursion survives.
 */
export function jsonBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (isIntricate(body)) done(tooIntricate())
    else void parse(request, body, done)
  })
}

function isIntricate(text: string): boolean {
  let pieces = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at)
      if (at === -1) return false
    } else if (code === openList || code === openObject) {
      pieces += 1
      depth += 1
    } else if (code === closeList || code === closeObject) depth -= 1
    else if (code === comma || code === colon) pieces += 1
    if (pieces > maxPieces || depth > maxDepth) return true
  }
  return false
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** The closing quote of the string that opens at `open`, or -1: the parser will say what is wrong. */
function endOfString(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return -1
}

function tooIntricate(): Fault {
  return new Fault('invalid_arguments', {
    public:
      'The request holds more values, or nests them deeper, than any call takes. Nothing in it was done.',
    details: { limit_values: maxPieces, limit_depth: maxDepth },
  })
}
