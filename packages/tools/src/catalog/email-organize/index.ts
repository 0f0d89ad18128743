import { defineTool } from '../../define-tool.ts'
import { archive } from './archive.ts'
import { copyBatch } from './copy-batch.ts'
import { copy } from './copy.ts'
import { flag } from './flag.ts'
import { label } from './label.ts'
import { moveBatch } from './move-batch.ts'
import { move } from './move.ts'
import { undo } from './undo.ts'

export const emailOrganize = defineTool({
  name: 'email_organize',
  title: 'Organise mail',
  description:
    'Moves, copies, archives, labels and marks named messages; sends and deletes nothing. ' +
    'archive: to the folder with the role archive. ' +
    'undo: takes back what the operation_id of a move, archive, flag, label or deletion changed, for 24 h and once; what was changed since stays. ' +
    'Old message_ids go on working, new_message_id is the new one. ' +
    'unchanged: it was so already. results names those not done, with the reason. An error changed nothing. ' +
    'Into Trash or Spam needs delete:email too; undo what the act needed. ' +
    'By criteria: email_search_and_move; deleting: email_delete.',
  isIdempotent: false,
  isBulk: false,
  toolset: 'core',
  actions: [move, moveBatch, copy, copyBatch, flag, label, archive, undo],
})
