import type { ReadMail } from '@postern/mail'
import * as z from 'zod'
import { bulkOwn, changeBatch, findBatch, rehearse, rehearsed, type Batch } from '../bulk.ts'
import { defineTool, defineWrite, type ActionContext } from '../define-tool.ts'
import { onlyInbox } from '../only-inbox.ts'
import * as params from '../params.ts'
import { destinationOf } from './email-organize/destination.ts'

const input = z.strictObject({
  ...params.inboxSearchFields,
  destination_folder_id: params.destination,
  limit: params.bulkLimit.default(500),
  dry_run: params.dryRun,
})

export const searchAndMove = defineWrite({
  action: null,
  effect: 'write',
  scopes: [['organize:email'], ['read:email', 'search:email']],
  target: 'inbox',
  seconds: 55,
  input,
  own: bulkOwn,
  example: { from: 'newsletter@shop.example', destination_folder_id: 'Work' },
  rehearsal: {
    output: rehearsed,
    isAsked: (given) => given.dry_run,
    async run(given, context) {
      const mail = await context.openMail(onlyInbox(context))
      const { folderId } = await destinationOf(given.destination_folder_id, mail, context)
      return rehearse(await find(given, mail, context, folderId), context)
    },
  },
  async write(given, context) {
    const mail = await context.openForChange(onlyInbox(context))
    const { folderId } = await destinationOf(given.destination_folder_id, mail, context)
    const batch = await find(given, mail, context, folderId)
    return changeBatch(batch, mail, { kind: 'move', folderId }, context)
  },
})

function find(
  { limit, dry_run: _, destination_folder_id: __, ...filters }: z.output<typeof input>,
  mail: ReadMail,
  context: ActionContext,
  destination: string,
): Promise<Batch> {
  return findBatch(filters, mail, context, { limit, destination })
}

export const emailSearchAndMove = defineTool({
  name: 'email_search_and_move',
  title: 'Move by search',
  description:
    'Moves whatever matches the filters to one folder: the newest first, up to limit, from INBOX alone unless include_folders names others. While has_more, the same call (with another idempotency_key) goes on. ' +
    'dry_run: true tells what would match, with five rows, and changes nothing. ' +
    'Filters that may match everything are refused (empty_filter), and so is a search that is incomplete or not exact. Messages already at the destination are skipped. ' +
    'undo in the answer is the call that brings them back, for 24 h, once. ' +
    'Also needs read:email or search:email; into Trash or Spam delete:email. ' +
    'Messages whose ids are known: email_organize.',
  isIdempotent: false,
  isBulk: true,
  toolset: 'bulk',
  actions: [searchAndMove],
})
