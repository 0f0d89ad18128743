import { Fault } from '@postern/core'
import type { SearchCount } from '@postern/mail'
import * as z from 'zod'
import { defineAction } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { coverage, untrusted } from '../../outputs.ts'
import * as params from '../../params.ts'
import { amongFolders } from '../../among-folders.ts'
import { listFolders } from './coverage.ts'
import { buildSearch, placeSearch, type Search } from './filters.ts'
import { describeDegraded } from './inexact.ts'

export const count = defineAction({
  action: 'count',
  effect: 'read',
  scopes: [['read:email', 'search:email']],
  target: 'inbox',
  seconds: 40,
  input: z.strictObject(params.searchFields),
  output: z.strictObject({
    count: z.number().int().describe('Exact.'),
    inbox_id: z.string(),
    complete: coverage.complete,
    folders_searched: coverage.folders_searched,
    folders_failed: coverage.folders_failed,
    degraded: coverage.degraded,
    matching: coverage.matching,
    resolved: coverage.resolved,
    untrusted_content: untrusted,
  }),
  example: { query: 'is:unread' },
  async run(filters, context) {
    const inbox = onlyInbox(context)
    const question = buildSearch(filters, { now: context.now, timezone: inbox.timezone, note: context.note })
    const mail = await context.openMail(inbox)
    const query = await amongFolders(mail, context.call, (folders) =>
      placeSearch(question, folders, context.note),
    )
    const counted = await mail.countMessages(query, context.call)
    requireExact(counted, question)
    return {
      count: counted.count,
      inbox_id: inbox.inboxId,
      complete: true,
      folders_searched: listFolders(counted.foldersSearched, context),
      folders_failed: [],
      degraded: [],
      matching: context.deps.capabilitiesOf(inbox.provider).matching,
      resolved: question.resolved,
      untrusted_content: true as const,
    }
  },
})

/** @throws search_incomplete, search_not_exact: a number that may be wrong is not given. */
function requireExact({ foldersFailed, degraded }: SearchCount, question: Search): void {
  if (foldersFailed.length > 0) {
    throw new Fault('search_incomplete', {
      public: `There is no number, because ${foldersFailed.length} of the folders could not be counted. Nothing was changed; repeating may help, and exclude_folders leaves a folder out.`,
      details: {
        folders_failed: foldersFailed.map(({ folderId, code }) => ({ folder_id: folderId, code })),
      },
    })
  }
  if (degraded.length > 0) {
    throw new Fault('search_not_exact', {
      public: `There is no number, because it would not be exact. ${describeDegraded(degraded, question.node).join(' ')} Nothing was changed.`,
      details: { degraded },
    })
  }
}
