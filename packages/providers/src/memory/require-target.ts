import { Fault } from '@postern/core'
import type { MoveTarget } from '@postern/mail'
import { folderNotFound } from './faults.ts'
import type { MemorySession } from './session.ts'

/** @throws folder_not_found, insufficient_scope (Trash, Spam and what is below for a caller who may not discard). */
export function requireTarget({ mailbox }: MemorySession, { folderId, mayDiscard }: MoveTarget): void {
  const folder = mailbox.findFolder(folderId)
  if (folder === undefined || !folder.isSelectable) throw folderNotFound()
  const isDiscarded = mailbox
    .folders()
    .filter(({ role }) => role === 'trash' || role === 'spam')
    .some(({ path }) => folder.path === path || folder.path.startsWith(`${path}/`))
  if (mayDiscard || !isDiscarded) return
  throw new Fault('insufficient_scope', {
    public:
      'Moving mail to Trash or Spam needs the scope delete:email, which this key lacks. Nothing was changed.',
    details: { missing_scopes: ['delete:email'] },
  })
}
