import * as z from 'zod'
import { defineWrite } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import * as params from '../../params.ts'
import { changedFolder, tellFolder } from './changed-folder.ts'
import { namedFolder } from './named-folder.ts'

export const rename = defineWrite({
  action: 'rename',
  effect: 'write',
  scopes: [['manage:folders']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({
    folder_id: params.folderReference(
      'Folder to change: folder_id or path from folder_list, or a unique name.',
    ),
    new_name: params.folderName('New name of the last level; the folder stays below its parent.'),
  }),
  own: changedFolder,
  example: { folder_id: 'Work', new_name: 'Projects' },
  async write({ folder_id: reference, new_name: newName }, context) {
    const mail = await context.openForChange(onlyInbox(context))
    const folderId = await namedFolder(reference, mail, context)
    const written = tellFolder(await mail.saveFolder({ kind: 'rename', folderId, newName }, context.write))
    const isMoved = written.own.folder_id !== folderId
    return { ...written, own: { ...written.own, ...(isMoved ? { previous_folder_id: folderId } : {}) } }
  },
})
