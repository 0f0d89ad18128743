/** A message that was seen: by this it is known again where its folder has new UIDs. */
export interface Seen {
  /** Digest of its identity, in hexadecimal; see `locator.ts`. */
  readonly identity: string
  readonly receivedSeconds: number
}

/** How far the arrivals of one folder are seen. */
export interface ArrivalMark {
  readonly uidValidity: number
  /** Every UID up to it has been looked at. RFC 3501 2.3.1.1: what arrives later has a higher one, whatever its date. */
  readonly seen: number
  /** Up to it arrival is told by date, since it lay there before anybody looked: what was received from `since` on. */
  readonly base: number
  readonly sinceSeconds: number
  /** The newest of the messages seen, the last first. */
  readonly last: readonly Seen[]
}

/** Messages that a mark remembers: the last one may have been deleted when its folder is rebuilt. */
export const maxRemembered = 3

const headOctets = 16
const seenOctets = 12

/** 16 octets, and 12 for each message remembered, in base64url: 70 characters at most. */
export function packMark({ uidValidity, seen, base, sinceSeconds, last }: ArrivalMark): string {
  const remembered = last.slice(0, maxRemembered)
  const octets = Buffer.alloc(headOctets + remembered.length * seenOctets)
  for (const [index, value] of [uidValidity, seen, base, sinceSeconds].entries()) {
    octets.writeUInt32BE(within32(value), index * 4)
  }
  for (const [index, { identity, receivedSeconds }] of remembered.entries()) {
    const at = headOctets + index * seenOctets
    octets.write(identity, at, seenOctets - 4, 'hex')
    octets.writeUInt32BE(within32(receivedSeconds), at + seenOctets - 4)
  }
  return octets.toString('base64url')
}

/** A mark of this adapter, or null. */
export function unpackMark(at: string): ArrivalMark | null {
  const octets = Buffer.from(at, 'base64url')
  const count = (octets.length - headOctets) / seenOctets
  if (!Number.isInteger(count) || count < 0 || count > maxRemembered) return null
  return {
    uidValidity: octets.readUInt32BE(0),
    seen: octets.readUInt32BE(4),
    base: octets.readUInt32BE(8),
    sinceSeconds: octets.readUInt32BE(12),
    last: Array.from({ length: count }, (_, index) => {
      const from = headOctets + index * seenOctets
      return {
        identity: octets.toString('hex', from, from + seenOctets - 4),
        receivedSeconds: octets.readUInt32BE(from + seenOctets - 4),
      }
    }),
  }
}

function within32(value: number): number {
  return Math.min(0xffff_ffff, Math.max(0, Math.floor(value)))
}
