import { Fault } from '@postern/core'
import type { MoveTarget } from '@postern/mail'
import { folderNotFound } from './faults.ts'
import type { MemorySession } from './session.ts'

/** @throws folder_not_found, insufficient_scope (Trash or Spam for a caller who may not discard). */
export function requireTarget({ mailbox }: MemorySession, { folderId, mayDiscard }: MoveTarget): void {
  const folder = mailbox.findFolder(folderId)
  if (folder === undefined || !folder.isSelectable) throw folderNotFound()
  if (mayDiscard || (folder.role !== 'trash' && folder.role !== 'spam')) return
  throw new Fault('insufficient_scope', {
    public:
      'Moving mail to Trash or Spam needs the scope delete:email, which this key lacks. Nothing was changed.',
    details: { missing_scopes: ['delete:email'] },
  })
}
