import { holdsScopes } from '@postern/access'
import * as z from 'zod'
import { defineWrite } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import * as params from '../../params.ts'
import { changedFolder } from './changed-folder.ts'
import { namedFolder } from './named-folder.ts'

export const deleteFolder = defineWrite({
  action: 'delete',
  effect: 'destroy',
  scopes: [['manage:folders']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({
    folder_id: params.folderReference(
      'Folder to change: folder_id or path from folder_list, or a unique name.',
    ),
  }),
  own: changedFolder,
  example: { folder_id: 'Work' },
  async write({ folder_id: reference }, context) {
    const mail = await context.openForChange(onlyInbox(context))
    const folderId = await namedFolder(reference, mail, context)
    // The adapter counts right before the command: mail may come in until then.
    const mayDiscard = holdsScopes(context.principal, [['delete:email']])
    const { status } = await mail.deleteFolder({ folderId, mayDiscard }, context.write)
    return { outcome: status, own: { folder_id: folderId, untrusted_content: true as const }, items: [] }
  },
})
