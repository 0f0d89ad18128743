import { Fault } from '@postern/core'
import { providerKinds, type ProviderKind } from '@postern/mail'

/** A stored kind as one this release can open. @throws internal_error for one it does not know. */
export function toProviderKind(text: string): ProviderKind {
  const kind = providerKinds.find((known) => known === text)
  if (kind !== undefined) return kind
  throw new Fault('internal_error', {
    public: 'This inbox belongs to a kind of provider that this service does not know. Nothing was done.',
    internal: 'unknown provider kind in inboxes',
  })
}
