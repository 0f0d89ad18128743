import * as z from 'zod'
import { bulkOwn, changeBatch, findBatch, rehearse, rehearsed, type Batch } from '../../bulk.ts'
import { defineWrite, type ActionContext } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import * as params from '../../params.ts'
import type { ReadMail } from '@postern/mail'

const input = z.strictObject({
  ...params.inboxSearchFields,
  limit: params.bulkLimit.default(100),
  dry_run: params.dryRun,
  permanent: params.permanent,
})

export const searchAndDelete = defineWrite({
  action: 'search_and_delete',
  effect: 'destroy',
  scopes: [['delete:email'], ['read:email', 'search:email']],
  target: 'inbox',
  seconds: 55,
  input,
  own: bulkOwn,
  example: { from: 'newsletter@shop.example' },
  rehearsal: {
    output: rehearsed,
    isAsked: (given) => given.dry_run,
    run: async (given, context) =>
      rehearse(await find(given, await context.openMail(onlyInbox(context)), context), context),
  },
  async write(given, context) {
    const act = { kind: given.permanent ? 'delete' : 'trash' } as const
    const mail = await context.openForChange(onlyInbox(context))
    return changeBatch(await find(given, mail, context), mail, act, context)
  },
})

async function find(
  { limit, dry_run: _, permanent, ...filters }: z.output<typeof input>,
  mail: ReadMail,
  context: ActionContext,
): Promise<Batch> {
  const folders = permanent ? [] : await mail.listFolders('known', context.call)
  const trash = folders.find(({ role }) => role === 'trash')?.folderId ?? null
  return findBatch(filters, mail, context, { limit, destination: trash })
}
