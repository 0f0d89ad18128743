import { mapInTurns } from '@postern/core'
import { resolveFolder, type ReadMail } from '@postern/mail'
import * as z from 'zod'
import { type ActionContext, defineAction } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { messageRow, paging, truncation, untrusted } from '../../outputs.ts'
import { finishPage, startPage } from '../../paging.ts'
import * as params from '../../params.ts'
import { amongFolders } from '../../among-folders.ts'
import { renderRow, rowContextOf } from './message-row.ts'

const maxReach = 10_000

export const list = defineAction({
  action: 'list',
  effect: 'read',
  scopes: [['read:email']],
  target: 'inbox',
  seconds: 25,
  input: z.strictObject({
    folder: params.folder,
    unread_only: params.unreadOnly,
    limit: params.limit,
    offset: params.messageOffset,
    cursor: params.cursor,
  }),
  output: z.strictObject({
    messages: z.array(messageRow).describe('Rows; of read_batch whole messages, in the order asked.'),
    inbox_id: z.string(),
    folder_id: z.string(),
    total: z.number().int().nullable(),
    total_is_estimate: z.boolean(),
    ...paging,
    next_cursor: z.string().nullable(),
    ...truncation,
    untrusted_content: untrusted,
  }),
  example: {},
  async run({ folder, unread_only, ...pageArgs }, context) {
    const inbox = onlyInbox(context)
    const given = {
      ...(folder === undefined ? {} : { folder }),
      ...(unread_only === undefined ? {} : { unread_only }),
    }
    const start = startPage(context, { ...pageArgs, cursor: pageArgs.cursor }, given, maxReach)
    const filters = start.filters as { readonly folder?: string; readonly unread_only?: boolean }
    const mail = await context.openMail(inbox)
    const folderId = await folderIdOf(mail, filters.folder ?? 'INBOX', context)
    const page = await mail.listMessages(
      folderId,
      { isUnreadOnly: filters.unread_only ?? false },
      start.request,
      context.call,
    )
    const rowContext = rowContextOf(context, inbox, folderId)
    const rest = {
      inbox_id: inbox.inboxId,
      folder_id: folderId,
      total: page.total,
      total_is_estimate: false,
      untrusted_content: true as const,
    }
    const finished = finishPage(context, start, {
      rows: await mapInTurns(page.messages, (row) => renderRow(row, rowContext)),
      anchors: page.messages.map(({ anchor }) => anchor),
      hasMore: page.hasMore,
      beside: rest,
    })
    return { messages: finished.rows, ...finished.paging, ...finished.truncation, ...rest }
  },
})

/** INBOX needs no listing: every provider spells it so (RFC 3501 5.1; Gmail's label id is the same). */
async function folderIdOf(mail: ReadMail, reference: string, context: ActionContext): Promise<string> {
  if (reference.toUpperCase() === 'INBOX') return 'INBOX'
  const { folder, note } = await amongFolders(mail, context.call, (folders) =>
    resolveFolder(reference, folders, 'folder'),
  )
  if (note !== null) context.note(note)
  return folder.folderId
}
