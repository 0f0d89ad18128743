import { defineTool } from '../../define-tool.ts'
import { archive } from './archive.ts'
import { copyBatch } from './copy-batch.ts'
import { copy } from './copy.ts'
import { flag } from './flag.ts'
import { label } from './label.ts'
import { moveBatch } from './move-batch.ts'
import { move } from './move.ts'

export const emailOrganize = defineTool({
  name: 'email_organize',
  title: 'Organise mail',
  description:
    'Moves, copies, archives, labels and marks the messages that message_id or message_ids name; sends and deletes nothing. ' +
    'move, copy: one message; move_batch, copy_batch: up to 500. flag: read, unread, flag, unflag. label: adds and takes off labels. archive: moves to the folder with the role archive. ' +
    'Each message is found where it is now; old message_ids go on working, new_message_id is its new one. ' +
    'outcome done: all were changed and checked, or were so already (unchanged). partial: results names the others. unknown: the mail server may or may not have acted; never repeat it. An error changed nothing. ' +
    'idempotency_key makes a repeated call act once. ' +
    'Trash and Spam as destination need delete:email as well; everything else organize:email. ' +
    'Where the key reaches several inboxes, name the one of the messages. ' +
    'message_ids come from email_read list or search, destinations from folder_list.',
  isIdempotent: false,
  isBulk: false,
  toolset: 'core',
  actions: [move, moveBatch, copy, copyBatch, flag, label, archive],
})
