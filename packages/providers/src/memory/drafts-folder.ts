import { Fault } from '@postern/core'
import type { DraftRef } from '@postern/mail'
import type { MemoryFolder, PlacedMessage } from './mailbox.ts'
import type { MemorySession } from './session.ts'

/** @throws folder_role_missing. */
export function draftsFolder({ mailbox }: MemorySession): MemoryFolder {
  const folder = mailbox.folders().find(({ role }) => role === 'drafts')
  if (folder !== undefined) return folder
  throw new Fault('folder_role_missing', {
    public: 'This mailbox has no folder with the role drafts, so nothing was done.',
    details: { role: 'drafts' },
  })
}

/** The draft where its ref says that it lies; it is not looked for. @throws draft_stale. */
export function requireDraft({ mailbox }: MemorySession, { ref }: DraftRef): PlacedMessage {
  const placed = mailbox.findInPlace(ref)
  if (placed !== null && placed.message.flags.draft) return placed
  throw new Fault('draft_stale', {
    public:
      'This draft was changed, sent or discarded since its draft_id was given. draft_list has the current ones. Nothing was changed.',
  })
}
