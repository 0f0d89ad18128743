import type { Signer } from '@postern/core'
import type { MessageRef } from './message.ts'

// One octet of version, then the locator, then the MAC: 37 octets at most, so 50 characters of base64url.
const version = 1
const macBytes = 10
/** Longest locator an adapter may make. */
export const maxLocatorBytes = 26

/**
 * `m_` + base64url(version, locator, MAC bound to the inbox): at most 52 characters. Anyone can see that it
 * is opaque; nobody can make one, or carry one to another inbox.
 */
export function sealMessageId(signer: Signer, inboxId: string, ref: MessageRef): string {
  if (ref.locator.length > maxLocatorBytes) throw new RangeError('locator too long')
  const body = Buffer.concat([Uint8Array.of(version), ref.locator])
  const mac = signer.sign(bound(inboxId, body)).subarray(0, macBytes)
  return `m_${Buffer.concat([body, mac]).toString('base64url')}`
}

/** The ref inside an id of this inbox, or null: mistyped, foreign and forged ids look alike. */
export function openMessageId(signer: Signer, inboxId: string, messageId: string): MessageRef | null {
  if (!/^m_[A-Za-z0-9_-]{16,50}$/.test(messageId)) return null
  const octets = Buffer.from(messageId.slice(2), 'base64url')
  // A second spelling of the same octets (stray low bits) is not an id we made.
  if (octets.toString('base64url') !== messageId.slice(2)) return null
  const body = octets.subarray(0, octets.length - macBytes)
  if (body[0] !== version || !signer.verifies(bound(inboxId, body), octets.subarray(-macBytes))) return null
  return { locator: Uint8Array.from(body.subarray(1)) }
}

function bound(inboxId: string, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`message_id:${inboxId.toLowerCase()}:`, 'latin1'), body])
}
