/** Octets of a message that are made ready at a time, so that a large one holds up nobody. */
const pieceOctets = 64 * 1024

const cr = 0x0d
const lf = 0x0a
const dot = 0x2e

/**
 * A message as it goes behind DATA, with the line that ends it: a dot at the start of a line is doubled (RFC 5321
 * 4.5.2). A CR or LF that stands alone becomes a line end, as which some servers take it and others do not: between
 * the two a message could end early, and another begin in its text (RFC 5321 2.3.8).
 */
export function* smtpData(octets: Uint8Array): Generator<Buffer> {
  let isLineStart = true
  let isBehindCr = false
  for (let from = 0; from < octets.length; from += pieceOctets) {
    const piece = octets.subarray(from, from + pieceOctets)
    // Each octet becomes two at most, but for a dot behind a CR of the piece before, which becomes three.
    const out = Buffer.allocUnsafe(2 * piece.length + 1)
    let end = 0
    for (const octet of piece) {
      if (isBehindCr && octet !== lf) {
        end = put(out, end, lf)
        isLineStart = true
      }
      if (octet === lf && !isBehindCr) end = put(out, end, cr)
      if (octet === dot && isLineStart) end = put(out, end, dot)
      end = put(out, end, octet)
      isLineStart = octet === lf
      isBehindCr = octet === cr
    }
    yield out.subarray(0, end)
  }
  const lineEnd = isBehindCr ? '\n' : isLineStart ? '' : '\r\n'
  yield Buffer.from(`${lineEnd}.\r\n`)
}

function put(out: Buffer, at: number, octet: number): number {
  out[at] = octet
  return at + 1
}
