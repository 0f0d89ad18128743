import type { Signer } from '@postern/core'
import type { MessageRef } from './message.ts'

// One octet of version, then the locator, then the MAC: 37 octets at most, so 50 characters of base64url.
const version = 1
const macBytes = 10
/** Longest locator an adapter may make. */
export const maxLocatorBytes = 26

/** What a sealed ref is the id of. The MAC holds it, so that an id of one kind is none of the other. */
export type SealedKind = 'message' | 'draft'

const prefixes: Readonly<Record<SealedKind, string>> = { message: 'm_', draft: 'd_' }

/**
 * A prefix and base64url(version, locator, MAC bound to the inbox): at most 52 characters. Anyone can see that it is
 * opaque; nobody can make one, or carry one to another inbox.
 */
export function sealRef(signer: Signer, kind: SealedKind, inboxId: string, { locator }: MessageRef): string {
  if (locator.length > maxLocatorBytes) throw new RangeError('locator too long')
  const body = Buffer.concat([Uint8Array.of(version), locator])
  const mac = signer.sign(bound(kind, inboxId, body)).subarray(0, macBytes)
  return `${prefixes[kind]}${Buffer.concat([body, mac]).toString('base64url')}`
}

/** The ref inside an id of that kind and inbox, or null: mistyped, foreign and forged ids look alike. */
export function openSealedRef(
  signer: Signer,
  kind: SealedKind,
  inboxId: string,
  id: string,
): MessageRef | null {
  if (!id.startsWith(prefixes[kind]) || !/^[a-z]_[A-Za-z0-9_-]{16,50}$/.test(id)) return null
  const octets = Buffer.from(id.slice(2), 'base64url')
  // A second spelling of the same octets (stray low bits) is not an id we made.
  if (octets.toString('base64url') !== id.slice(2)) return null
  const body = octets.subarray(0, octets.length - macBytes)
  if (body[0] !== version || !signer.verifies(bound(kind, inboxId, body), octets.subarray(-macBytes)))
    return null
  return { locator: Uint8Array.from(body.subarray(1)) }
}

function bound(kind: SealedKind, inboxId: string, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${kind}_id:${inboxId.toLowerCase()}:`, 'latin1'), body])
}
