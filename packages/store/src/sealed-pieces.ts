import { open, seal, type KeyRing, type SealContext } from '@postern/vault'

const pieceBytes = 1_048_576

/** Seals octets of any length in pieces of 1 MiB, each of which opens only at its place. Never empty. */
export function sealPieces(
  keyRing: KeyRing,
  octets: Uint8Array,
  context: SealContext,
): readonly Uint8Array[] {
  const count = Math.max(1, Math.ceil(octets.length / pieceBytes))
  return Array.from({ length: count }, (_, position) => {
    const piece = octets.subarray(position * pieceBytes, (position + 1) * pieceBytes)
    return seal(keyRing, piece, placeIn(context, position, count))
  })
}

/** @throws internal_error when a piece is damaged, missing, or of another place. */
export function openPieces(
  keyRing: KeyRing,
  envelopes: readonly Uint8Array[],
  context: SealContext,
): Uint8Array {
  const pieces = envelopes.map((envelope, position) =>
    open(keyRing, envelope, placeIn(context, position, envelopes.length)),
  )
  return Buffer.concat(pieces)
}

/** With the number of all, so that none can be left off the end. */
function placeIn(context: SealContext, position: number, count: number): SealContext {
  return { ...context, purpose: `${context.purpose}:${position}/${count}` }
}
