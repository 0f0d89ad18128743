import { Fault } from '@postern/core'
import { requireNarrowing, sealMessageId, type FolderId, type MessageRow, type ReadMail } from '@postern/mail'
import * as z from 'zod'
import { amongFolders } from './among-folders.ts'
import { renderRow, rowContextOf } from './catalog/email-read/message-row.ts'
import { describeDegraded } from './catalog/email-read/inexact.ts'
import { changeOf, nameOf, type BulkAct } from './bulk-act.ts'
import { buildSearch, placeSearch, type Filters, type Search } from './catalog/email-read/filters.ts'
import { changeMessages, organised, outcomeOf, resultOf, summarise, undoOf } from './change-messages.ts'
import type { ActionContext, ChangeMail, WriteContext, Written } from './define-tool.ts'
import { holdBatch, isReviewed } from './hold-batch.ts'
import { onlyInbox } from './only-inbox.ts'
import { coverage, messageRow, untrusted } from './outputs.ts'
import { approvalFields, tellApproval } from './tell-approval.ts'

const sampleSize = 5
/** Folders that a result names; a write answers in few words. */
const maxNamedFolders = 10

const found = {
  matched: z.number().int().describe('All that match; exact.'),
  complete: coverage.complete,
  folders_searched: coverage.folders_searched,
  folders_failed: coverage.folders_failed.describe('Always empty: a search that fails anywhere is refused.'),
  degraded: coverage.degraded.describe('Always empty: a search that is not exact is refused.'),
  matching: coverage.matching,
  resolved: coverage.resolved,
} as const

/** The answer of a change of whatever matches. */
export const bulkOwn = organised.extend({
  ...found,
  has_more: z.boolean().describe('true: the same call goes on.'),
  permanent: z.literal(true).optional(),
  ...approvalFields,
  match_count: z
    .number()
    .int()
    .describe('Messages that are frozen until somebody decides; exact. None is changed yet.')
    .optional(),
})

/** The answer where nothing was changed, but shown what would be. */
export const rehearsed = z.strictObject({
  dry_run: z.literal(true),
  inbox_id: z.string(),
  ...found,
  sample: z.array(messageRow).describe('The first five.'),
  untrusted_content: untrusted,
})

/** The messages of one run. */
export interface Batch {
  readonly rows: readonly MessageRow[]
  readonly matched: number
  readonly hasMore: boolean
  readonly question: Search
  readonly folderIds: readonly FolderId[]
  /** How the mailbox matches texts. */
  readonly matching: string
}

/**
 * What matches now, the newest first: of INBOX alone unless folders are named, and never in the folder where it is to go.
 * @throws empty_filter, query_*, folder_*; search_incomplete, search_not_exact: what may be wrong is not acted on.
 */
export async function findBatch(
  filters: Filters,
  mail: ReadMail,
  context: ActionContext,
  { limit, destination }: { readonly limit: number; readonly destination: FolderId | null },
): Promise<Batch> {
  const { timezone, provider } = onlyInbox(context)
  const { matching } = context.deps.capabilitiesOf(provider)
  const spamTrash = filters.include_spam_trash === true
  const question = buildSearch(filters, { now: context.now, timezone, note: context.note })
  const query = await amongFolders(mail, context.call, (folders) => {
    const discarded = folders.filter(({ role }) => role === 'spam' || role === 'trash')
    const scope = ['INBOX', ...(spamTrash ? discarded.map(({ folderId }) => folderId) : [])]
    const include = filters.include_folders?.length ? filters.include_folders : scope
    const bounded = { ...question, filters: { ...filters, include_folders: include } }
    return placeSearch(bounded, folders, context.note)
  })
  requireNarrowing(query, context.now)
  const folderIds = query.folderIds.filter((folderId) => folderId !== destination)
  if (folderIds.length === 0) return { rows: [], matched: 0, hasMore: false, question, folderIds, matching }
  const page = await mail.searchMessages(
    { ...query, folderIds },
    { limit, offset: 0, after: null },
    context.call,
  )
  requireExact(page, question)
  return {
    rows: page.messages,
    matched: page.total ?? page.messages.length,
    hasMore: page.hasMore,
    question,
    folderIds,
    matching,
  }
}

/**
 * Changes a batch and tells what became of it; where the owner reviews such changes it is frozen instead, and nothing is
 * changed until somebody has decided.
 */
export async function changeBatch(
  batch: Batch,
  mail: ChangeMail,
  act: BulkAct,
  context: WriteContext,
): Promise<Written<z.input<typeof bulkOwn>>> {
  const { inboxId } = onlyInbox(context)
  const change = changeOf(act, context)
  const told = { ...nameOf(act), ...foundIn(batch), has_more: batch.hasMore }
  if (batch.rows.length > 0 && (await isReviewed(context))) {
    const approval = await holdBatch(batch.rows, act, mail, context)
    context.note(
      'Nothing is changed until somebody has decided. operation_get tells what became of it; the same call would ask for the same once more.',
    )
    return {
      outcome: 'pending_approval',
      own: {
        ...summarise([], context, false),
        ...told,
        ...tellApproval(approval),
        match_count: batch.rows.length,
      },
      items: [],
    }
  }
  const changed = await changeMessages(
    batch.rows.map(({ message }) => message),
    mail,
    change,
    context,
  )
  const results = changed.outcomes.map((outcome) =>
    resultOf(sealMessageId(context.deps.messageIdSigner, inboxId, outcome.ref), outcome),
  )
  return {
    outcome: outcomeOf(results),
    own: {
      ...summarise(results, context, false),
      ...told,
      ...undoOf(changed, context, change),
    },
    items: changed.items,
  }
}

/** What a run would change, without changing it. */
export function rehearse(batch: Batch, context: ActionContext): z.input<typeof rehearsed> {
  const inbox = onlyInbox(context)
  const rows = rowContextOf(context, inbox, null)
  return {
    dry_run: true,
    inbox_id: inbox.inboxId,
    ...foundIn(batch),
    sample: batch.rows.slice(0, sampleSize).map((row) => renderRow(row, rows)),
    untrusted_content: true,
  }
}

function foundIn({ matched, question, folderIds, matching }: Batch): z.input<z.ZodObject<typeof found>> {
  return {
    matched,
    complete: true,
    folders_searched: folderIds.slice(0, maxNamedFolders),
    folders_failed: [],
    degraded: [],
    matching,
    resolved: question.resolved,
  }
}

/** @throws search_incomplete, search_not_exact. */
function requireExact(
  {
    foldersFailed,
    degraded,
  }: Pick<Awaited<ReturnType<ReadMail['searchMessages']>>, 'foldersFailed' | 'degraded'>,
  question: Search,
): void {
  if (foldersFailed.length > 0) {
    throw new Fault('search_incomplete', {
      public: `${foldersFailed.length} of the folders could not be searched, so nothing was changed in any. Repeating may help, and exclude_folders leaves a folder out.`,
      details: {
        folders_failed: foldersFailed
          .slice(0, maxNamedFolders)
          .map(({ folderId, code }) => ({ folder_id: folderId, code })),
      },
    })
  }
  if (degraded.length > 0) {
    throw new Fault('search_not_exact', {
      public: `Nothing was changed, because the search would not be exact. ${describeDegraded(degraded, question.node).join(' ')}`,
      details: { degraded },
    })
  }
}
