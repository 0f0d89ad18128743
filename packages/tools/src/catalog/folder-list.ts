import { cleanLine, foldText, type Folder } from '@postern/mail'
import * as z from 'zod'
import { fitItems, roomBeside, truncated } from '../budget.ts'
import { defineAction, defineTool } from '../define-tool.ts'
import { onlyInbox } from '../only-inbox.ts'
import { cleanText, paging, truncation, untrusted } from '../outputs.ts'
import * as params from '../params.ts'

const pageSize = 200

const input = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(200)
    .describe('Part of the folder name or path; case does not matter.')
    .optional(),
  offset: params.offset,
})

const folderOutput = z.strictObject({
  folder_id: z.string(),
  name: cleanText,
  path: cleanText,
  type: z.enum(['folder', 'label']),
  role: z.string().nullable(),
  selectable: z.boolean(),
  total: z.number().int().nullable(),
  unread: z.number().int().nullable(),
})

const output = z.strictObject({
  folders: z.array(folderOutput),
  inbox_id: z.string(),
  ...paging,
  ...truncation,
  untrusted_content: untrusted,
})

const action = defineAction({
  action: null,
  effect: 'read',
  scopes: [['read:email', 'search:email', 'organize:email', 'manage:folders']],
  target: 'inbox',
  seconds: 25,
  input,
  output,
  example: {},
  async run({ query, offset }, context) {
    const inbox = onlyInbox(context)
    const mail = await context.openMail(inbox)
    const listed = await mail.listFolders('counted', context.call)
    const all = listed.filter(({ folderId }) => folderId.length <= params.maxFolderReference)
    if (all.length < listed.length)
      context.note(
        `Left out: folders whose name is longer than ${params.maxFolderReference} characters, ${listed.length - all.length} in number; no argument could name them.`,
      )
    const wanted = query === undefined ? null : foldText(query)
    const matching = wanted === null ? all : all.filter(({ path }) => foldText(path).includes(wanted))
    const page = matching.slice(offset, offset + pageSize)
    if (page.some(({ isSelectable, total }) => isSelectable && total === null)) {
      context.note(
        'Some folders were not counted in the time of this call: their total and unread are null, not 0.',
      )
    }
    const rest = { inbox_id: inbox.inboxId, untrusted_content: true as const }
    const folders = fitItems(page.map(renderFolder), roomBeside(context, rest) - 100)
    const next = offset + folders.length
    const hasMore = next < matching.length
    return {
      folders: [...folders],
      has_more: hasMore,
      next_offset: hasMore ? next : null,
      ...(folders.length < page.length
        ? truncated('The page reached its size cap; next_offset continues it.')
        : {}),
      ...rest,
    }
  },
})

function renderFolder(folder: Folder): z.input<typeof folderOutput> {
  return {
    folder_id: folder.folderId,
    name: cleanLine(folder.name),
    path: cleanLine(folder.path),
    type: folder.type,
    role: folder.role,
    selectable: folder.isSelectable,
    total: folder.total,
    unread: folder.unread,
  }
}

export const folderList = defineTool({
  name: 'folder_list',
  title: 'List folders',
  description:
    'Lists the folders (on Gmail: labels) of one inbox: folder_id, path, role (inbox, sent, drafts, trash, archive, spam, all; else null), total and unread counts: the cheapest look at what is unread where. ' +
    'Roles and INBOX work in email_read without this call. ' +
    'Pages of 200, INBOX first, then by path. A count of null was not taken and is not 0; selectable false holds only folders, no mail. ' +
    'A mail server that fails is an error, never an empty list.',
  isIdempotent: true,
  isBulk: false,
  toolset: 'core',
  actions: [action],
})
