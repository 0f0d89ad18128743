import type { FetchedMessage } from './fetch-messages.ts'
import { noIdentity, type Place } from './locator.ts'

/**
 * Whether what lies at an address is the message whose id names that address. RFC 3501 2.3.1.1 promises that a
 * UID is not used again under one UIDVALIDITY; servers that were restored from a backup break the promise, so
 * the identity decides, and where none can be had, the internal date.
 */
export function isSameMessage(
  place: Place,
  { identities, isCut, place: seen }: Pick<FetchedMessage, 'identities' | 'isCut' | 'place'>,
): boolean {
  if (identities.includes(place.identity)) return true
  const provesNothing = place.identity === noIdentity || isCut
  return provesNothing && place.receivedSeconds === seen.receivedSeconds
}
