import { decodeTransfer } from '@postern/mail'

/** Longest run that is held back to find a place where it can be cut. */
const maxHeld = 1024 * 1024

/**
 * Undoes a transfer encoding on the way, holding little: base64 between groups of four, quoted-printable at line
 * ends. An encoding that cannot be cut anywhere (uuencode) is decoded as a whole, so give it only bounded input.
 */
export async function* decodeStream(
  octets: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array> {
  const cutAt = cutters.get(encoding)
  let held: Uint8Array = new Uint8Array(0)
  for await (const chunk of octets) {
    if (cutAt === undefined && isPlain.test(encoding)) {
      yield chunk
      continue
    }
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    const cut = cutAt === undefined ? 0 : cutAt(held) || (held.length > maxHeld ? held.length : 0)
    if (cut > 0) yield decodeTransfer(held.subarray(0, cut), encoding).content
    held = held.subarray(cut)
  }
  if (held.length > 0) yield decodeTransfer(held, encoding).content
}

const isPlain = /^(?:7bit|8bit|binary|)$/

const cutters: ReadonlyMap<string, (octets: Uint8Array) => number> = new Map([
  ['base64', endOfGroups],
  // RFC 2045 6.7: no escape and no soft break reaches beyond its line end.
  ['quoted-printable', (octets: Uint8Array): number => octets.lastIndexOf(0x0a) + 1],
])

/** Index behind the last complete group of four base64 characters; padding completes a group. */
function endOfGroups(octets: Uint8Array): number {
  let held = 0
  let end = 0
  for (const [index, octet] of octets.entries()) {
    const isPadding = octet === 0x3d
    if (!isPadding && !isBase64(octet)) continue
    held = isPadding ? 0 : held + 1
    if (held % 4 === 0) end = index + 1
  }
  return end
}

function isBase64(octet: number): boolean {
  return (
    (octet >= 0x41 && octet <= 0x5a) ||
    (octet >= 0x61 && octet <= 0x7a) ||
    (octet >= 0x30 && octet <= 0x39) ||
    octet === 0x2b ||
    octet === 0x2f
  )
}
