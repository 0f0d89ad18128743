import { resolveFolder } from '@postern/mail'
import * as z from 'zod'
import { amongFolders } from '../../among-folders.ts'
import { defineWrite } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import * as params from '../../params.ts'
import { changedFolder, tellFolder } from './changed-folder.ts'

export const create = defineWrite({
  action: 'create',
  effect: 'write',
  scopes: [['manage:folders']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({
    name: params.folderName('Name of the new folder; a/b is b below a, which is made where it is missing.'),
    parent_folder_id: params
      .folderReference('Folder to make it below: folder_id, path, role or unique name. Left out: at the top.')
      .optional(),
  }),
  own: changedFolder,
  example: { name: 'Receipts' },
  async write({ name, parent_folder_id: parent }, context) {
    const mail = await context.openForChange(onlyInbox(context))
    const below =
      parent === undefined
        ? null
        : await amongFolders(mail, context.call, (folders) =>
            resolveFolder(parent, folders, 'parent_folder_id'),
          )
    if (below !== null && below.note !== null) context.note(below.note)
    const parentId = below?.folder.folderId ?? null
    return tellFolder(await mail.saveFolder({ kind: 'create', parentId, name }, context.write))
  },
})
