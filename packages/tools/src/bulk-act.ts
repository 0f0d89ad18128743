import { holdsScopes } from '@postern/access'
import type { FolderId } from '@postern/mail'
import { markOf, throwAway } from './catalog/email-delete/throw-away.ts'
import type { Change } from './change-messages.ts'
import type { WriteContext } from './define-tool.ts'

/** What is done to whatever matches, in a form that can be kept. */
export type BulkAct =
  | { readonly kind: 'move'; readonly folderId: FolderId }
  | { readonly kind: 'trash' }
  /** For ever. */
  | { readonly kind: 'delete' }

/** As the key may do it now. @throws capability_unavailable. */
export function changeOf(act: BulkAct, context: WriteContext): Change {
  if (act.kind !== 'move') return throwAway(act.kind === 'delete', context)
  const mayDiscard = holdsScopes(context.principal, [['delete:email']])
  return {
    isReversible: true,
    about: nameOf(act),
    verb: (mail, refs) => mail.moveMessages(refs, { folderId: act.folderId, mayDiscard }, context.write),
  }
}

/** What the answer says of it. */
export function nameOf(act: BulkAct): { destination_folder_id?: FolderId; permanent?: true } {
  return act.kind === 'move' ? { destination_folder_id: act.folderId } : markOf(act.kind === 'delete')
}
