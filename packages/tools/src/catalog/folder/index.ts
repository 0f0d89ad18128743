import { defineTool } from '../../define-tool.ts'
import { create } from './create.ts'
import { deleteFolder } from './delete.ts'
import { rename } from './rename.ts'

export const folder = defineTool({
  name: 'folder',
  title: 'Manage folders',
  description:
    'Makes, renames and removes folders (on Gmail: labels). ' +
    'rename: the answer has the new folder_id; message_ids go on working. ' +
    'delete: over IMAP the mail in it is destroyed for ever, so one that holds mail needs delete:email; on Gmail only the label goes. Folders with a role or with others in them are refused (folder_name_reserved). ' +
    'A name that is there already is folder_name_taken, with its id. After unknown, folder_list shows. ' +
    'Moving mail: email_organize.',
  isIdempotent: false,
  isBulk: false,
  toolset: 'bulk',
  actions: [create, rename, deleteFolder],
})
