import { callSeconds, requireScopes } from '@postern/access'
import { Fault } from '@postern/core'
import { marksAfter, type ArrivalPage, type ReadMail } from '@postern/mail'
import * as z from 'zod'
import { amongFolders } from '../../among-folders.ts'
import { roomBeside, truncated } from '../../budget.ts'
import { type ActionContext, defineAction } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { coverage, truncation, untrusted } from '../../outputs.ts'
import * as params from '../../params.ts'
import { renderCoverage } from '../email-read/coverage.ts'
import { buildSearch, givenFilters, readFilters, type Search } from '../email-read/filters.ts'
import { arrivedRow, fitArrivals, openArrivals, type BodyWish } from './render-arrivals.ts'
import { defaultSince, sealWait, startWait, type WaitStart } from './wait-cursor.ts'
import { placeWait } from './wait-scope.ts'
import { watchForMail } from './watch.ts'

/** What is left of the call when the wait ends: for the last look, and to answer. */
const reserveMs = 3_000
/** Tokens for what comes to an answer when its rows are known. */
const tailTokens = 2_000

const output = z.strictObject({
  matched: z.boolean(),
  messages: z.array(arrivedRow),
  timed_out: z.boolean().describe('true: nothing matching had come when the time was up.'),
  waited_seconds: z.number().int(),
  cursor: z.string().describe('For the next call: every later match once, none left out. Valid 24 h.'),
  inbox_id: z.string(),
  untrusted_boundary: z.string().optional(),
  ...truncation,
  complete: coverage.complete,
  folders_searched: coverage.folders_searched,
  folders_failed: coverage.folders_failed,
  degraded: coverage.degraded,
  matching: coverage.matching,
  resolved: coverage.resolved,
  untrusted_content: untrusted,
})

export const wait = defineAction({
  action: null,
  effect: 'read',
  scopes: [['read:email', 'search:email']],
  target: 'inbox',
  seconds: callSeconds.wait,
  input: z.strictObject({
    ...params.inboxSearchFields,
    since: params.waitSince,
    include_folders: params.watchedFolders,
    timeout_seconds: params.timeoutSeconds,
    cursor: params.waitCursor,
    limit: params.waitLimit,
    include_body: params.includeBody,
    body_max_chars: params.waitBodyMaxChars,
    links: params.links.default('full'),
  }),
  output,
  example: { timeout_seconds: 0 },
  async run(input, context) {
    if (input.include_body) requireScopes(context.principal, [['read:email']], 'email_wait include_body')
    const startedMs = Date.now()
    const lastMs = context.call.deadline.getTime() - reserveMs
    const until = new Date(Math.min(startedMs + input.timeout_seconds * 1_000, lastMs))
    const start = startWait(context, input.cursor, givenFilters(input))
    const question = buildQuestion(start, context)
    const leave = context.deps.waits.enter(context.principal)
    try {
      const mail = await context.openMail(onlyInbox(context))
      const query = await amongFolders(mail, context.call, (folders) =>
        placeWait(question, folders, context.note),
      )
      const marks = start.marksOf(query.folderIds)
      const page = await watchForMail(
        { mail, query, since: start.since, marks, limit: input.limit, until },
        context,
      )
      const wish = input.include_body ? { maxChars: input.body_max_chars, links: input.links } : null
      const answer: Answer = { mail, page, start, question, wish, startedMs }
      return await render(answer, query.folderIds, context)
    } finally {
      leave()
    }
  },
})

/** Like a search, but `since` is no criterion: it says where to begin, and old mail may arrive later. */
function buildQuestion(start: WaitStart, context: ActionContext): Search {
  const { since: _, ...filters } = readFilters(start.filters)
  const { timezone } = onlyInbox(context)
  const question = buildSearch(filters, { now: start.now, timezone, note: context.note })
  const since = start.since.toISOString()
  const { before } = question.resolved
  if (before !== null && since >= before) {
    throw new Fault('invalid_arguments', {
      public: `since must be earlier than before; they were read as ${since} and ${before}. Without since it is ${defaultSince} ago. Nothing was done.`,
      details: { argument: 'before', since, before },
    })
  }
  return { ...question, resolved: { ...question.resolved, since } }
}

interface Answer {
  readonly mail: ReadMail
  readonly page: ArrivalPage
  readonly start: WaitStart
  readonly question: Search
  readonly wish: BodyWish | null
  readonly startedMs: number
}

async function render(
  { mail, page, start, question, wish, startedMs }: Answer,
  folderIds: readonly string[],
  context: ActionContext,
): Promise<z.input<typeof output>> {
  const inbox = onlyInbox(context)
  const waitedSeconds = Math.round((Date.now() - startedMs) / 1_000)
  const opened = await openArrivals(mail, page.arrivals, wish, context)
  const searched = { ...page, messages: [], total: null }
  const rest = {
    matched: page.arrivals.length > 0,
    timed_out: page.arrivals.length === 0,
    waited_seconds: waitedSeconds,
    inbox_id: inbox.inboxId,
    ...(opened.some(({ body }) => body !== null) ? { untrusted_boundary: context.nonce } : {}),
    ...renderCoverage([{ inbox, value: searched, fault: null }], question, context),
    untrusted_content: true as const,
  }
  const { rows, isShortened } = fitArrivals(
    opened,
    {
      inbox,
      folderId: folderIds.length === 1 ? (folderIds[0] ?? null) : null,
      wish,
      maxTokens: roomBeside(context, rest) - tailTokens,
    },
    context,
  )
  const isCut = rows.length < opened.length
  if (page.hasMore || isCut)
    context.note('More has arrived already: the next call with cursor brings it at once.')
  return {
    messages: [...rows],
    cursor: sealWait(context, start, marksAfter(page, rows.length)),
    ...(isShortened || isCut
      ? truncated(
          `The result reached its size cap${isShortened ? ': bodies were cut to 500 characters' : ''}${isCut ? '; cursor brings the messages that were left out' : ''}.`,
        )
      : {}),
    ...rest,
  }
}
