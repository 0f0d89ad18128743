import { Fault } from '@postern/core'
import * as z from 'zod'
import { defineAction } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { coverage } from '../../outputs.ts'
import * as params from '../../params.ts'
import { buildSearch, placeSearch } from './filters.ts'

export const count = defineAction({
  action: 'count',
  effect: 'read',
  scopes: [['read:email', 'search:email']],
  target: 'inbox',
  seconds: 40,
  input: z.strictObject(params.searchFields),
  output: z.strictObject({
    count: z.number().int().describe('Exact; a number that could not be exact is an error instead.'),
    inbox_id: z.string(),
    complete: coverage.complete,
    folders_searched: coverage.folders_searched,
    folders_failed: coverage.folders_failed,
    degraded: coverage.degraded,
    matching: coverage.matching,
    resolved: coverage.resolved,
  }),
  example: { query: 'is:unread' },
  async run(filters, context) {
    const inbox = onlyInbox(context)
    const question = buildSearch(filters, { now: context.now, timezone: inbox.timezone, note: context.note })
    const mail = await context.openMail(inbox)
    const query = placeSearch(question, await mail.listFolders(false, context.call), context.note)
    const counted = await mail.countMessages(query, context.call)
    if (counted.foldersFailed.length > 0) {
      throw new Fault('search_incomplete', {
        public: `${counted.foldersFailed.length} of the folders could not be counted, so there is no number. Repeating may help, or exclude_folders leaves them out.`,
        details: {
          folders_failed: counted.foldersFailed
            .slice(0, 20)
            .map(({ folderId, code }) => ({ folder_id: folderId, code })),
        },
      })
    }
    if (counted.degraded.length > 0) {
      throw new Fault('search_not_exact', {
        public:
          'This mail server cannot evaluate one of the criteria exactly over so many messages, so there is no number. Narrow the search, for example by since or include_folders.',
        details: { degraded: counted.degraded },
      })
    }
    return {
      count: counted.count,
      inbox_id: inbox.inboxId,
      complete: true,
      folders_searched: counted.foldersSearched.slice(0, 50),
      folders_failed: [],
      degraded: [],
      matching: context.deps.capabilitiesOf(inbox.provider).matching,
      resolved: question.resolved,
    }
  },
})
