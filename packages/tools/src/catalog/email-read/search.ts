import type { InboxRecord } from '@postern/access'
import { mapInTurns, withDeadline } from '@postern/core'
import type { MessageRow, PageRequest, SearchPage } from '@postern/mail'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { type ActionContext, defineAction } from '../../define-tool.ts'
import { coverage, messageRow, paging, truncation, untrusted } from '../../outputs.ts'
import { finishPage, startPage } from '../../paging.ts'
import * as params from '../../params.ts'
import { amongFolders } from '../../among-folders.ts'
import type { Answer } from './answer.ts'
import { renderCoverage } from './coverage.ts'
import { itemCall, settle } from '../../settle.ts'
import { buildSearch, givenFilters, placeSearch, readFilters, type Search } from './filters.ts'
import { renderRow, rowContextOf } from './message-row.ts'

/** How far pages reach by offset. */
const maxReach = { oneInbox: 10_000, severalInboxes: 1_000 } as const

export const search = defineAction({
  action: 'search',
  effect: 'read',
  scopes: [['read:email', 'search:email']],
  target: 'inboxes',
  seconds: 40,
  input: z.strictObject({
    ...params.searchFields,
    limit: params.limit,
    offset: params.messageOffset,
    cursor: params.cursor,
  }),
  output: z.strictObject({
    messages: z.array(messageRow),
    inbox_id: z.string().optional(),
    total: z.number().int().nullable(),
    total_is_estimate: z.boolean(),
    ...paging,
    next_cursor: z.string().nullable(),
    ...truncation,
    ...coverage,
    untrusted_content: untrusted,
  }),
  example: { query: 'from:amy newer_than:7d' },
  async run(input, context) {
    const { inboxes } = context
    const isFanOut = inboxes.length > 1
    const reach = isFanOut ? maxReach.severalInboxes : maxReach.oneInbox
    const start = startPage(context, { ...input, cursor: input.cursor }, givenFilters(input), reach)
    const timezone = inboxes[0]?.timezone ?? 'UTC'
    const filters = readFilters(start.filters)
    const question = buildSearch(filters, { now: start.now, timezone, note: context.note })
    noteFanOut(context, question, start.now)
    const answers = await askAll(context, question, start.request)
    const merged = mergeRows(answers, start.request, context.skippedInboxes === 0)
    const rest = {
      ...(isFanOut ? {} : { inbox_id: inboxes[0]?.inboxId ?? '' }),
      total: merged.total,
      total_is_estimate: false,
      ...renderCoverage(answers, question, context),
      untrusted_content: true as const,
    }
    const finished = finishPage(context, start, {
      rows: await mapInTurns(merged.rows, ({ row, inbox }) =>
        renderRow(row, rowContextOf(context, inbox, null)),
      ),
      anchors: merged.rows.map(({ row }) => row.anchor),
      hasMore: merged.hasMore,
      beside: rest,
    })
    return { messages: finished.rows, ...finished.paging, ...finished.truncation, ...rest }
  },
})

function noteFanOut({ inboxes, skippedInboxes, note }: ActionContext, question: Search, now: Date): void {
  if (skippedInboxes > 0)
    note(
      `${skippedInboxes} more inboxes were not searched: at most 20 are, the most recently active first. With inbox_id one of them is.`,
    )
  const { timezone } = question.resolved
  const zones = new Set(inboxes.map((inbox) => inbox.timezone))
  // Only where days were asked for does the zone matter.
  const isZoned = [...zones].some(
    (zone) =>
      !isDeepStrictEqual(
        buildSearch(question.filters, { now, timezone: zone, note: () => undefined }).node,
        question.node,
      ),
  )
  if (isZoned) note(`Days were read in ${timezone}, the zone of the first inbox; the inboxes have several.`)
}

/** Asks every inbox at once. One that fails is an answer; if all fail, the first one's fault is thrown. */
async function askAll(
  context: ActionContext,
  question: Search,
  request: PageRequest,
): Promise<readonly Answer[]> {
  const { inboxes, note } = context
  const call = inboxes.length > 1 ? itemCall(context.call) : context.call
  const pageOfEach =
    inboxes.length > 1 ? { limit: request.offset + request.limit, offset: 0, after: request.after } : request
  const ask = async (inbox: InboxRecord): Promise<SearchPage> => {
    const mail = await context.openMail(inbox)
    const query = await amongFolders(mail, call, (folders) => placeSearch(question, folders, note))
    return mail.searchMessages(query, pageOfEach, call)
  }
  const [only, second] = inboxes
  if (only !== undefined && second === undefined)
    return [{ inbox: only, value: await ask(only), fault: null }]
  const answers = await Promise.all(
    inboxes.map(async (inbox): Promise<Answer> => ({
      inbox,
      ...(await settle(() => withDeadline(ask(inbox), call.deadline, call.signal), call)),
    })),
  )
  const [first] = answers
  if (first !== undefined && first.fault !== null && answers.every(({ fault }) => fault !== null))
    throw first.fault
  return answers
}

interface Merged {
  readonly rows: readonly { readonly row: MessageRow; readonly inbox: InboxRecord }[]
  readonly total: number | null
  readonly hasMore: boolean
}

/**
 * One order over all inboxes: newest received first, ties by the adapter's own key, then by inbox.
 * @param isWhole false where inboxes were left out from the start.
 */
function mergeRows(answers: readonly Answer[], request: PageRequest, isWhole: boolean): Merged {
  const pages = answers.flatMap(({ inbox, value: page }) => (page === null ? [] : [{ inbox, page }]))
  const [only, ...others] = pages
  // What an inbox that failed holds is unknown, and so is the sum.
  const total = answers.reduce<number | null>(
    (sum, { value: page }) =>
      sum === null || page === null || page.total === null ? null : sum + page.total,
    isWhole ? 0 : null,
  )
  if (only !== undefined && others.length === 0 && answers.length === 1) {
    return {
      rows: only.page.messages.map((row) => ({ row, inbox: only.inbox })),
      total,
      hasMore: only.page.hasMore,
    }
  }
  const all = pages.flatMap(({ inbox, page }) => page.messages.map((row) => ({ row, inbox })))
  all.sort(
    (a, b) =>
      b.row.anchor.receivedAt.getTime() - a.row.anchor.receivedAt.getTime() ||
      compare(a.row.anchor.tie, b.row.anchor.tie) ||
      compare(a.inbox.inboxId, b.inbox.inboxId),
  )
  const end = request.offset + request.limit
  return {
    rows: all.slice(request.offset, end),
    total,
    hasMore: all.length > end || pages.some(({ page }) => page.hasMore),
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
