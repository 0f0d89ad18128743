import { Fault } from '@postern/core'
import type { Anchor, PageRequest } from '@postern/mail'
import { fitItems, roomBeside, type Truncation, truncated } from './budget.ts'
import { carriesFilters, type CursorBinding, openCursor, sealCursor, withoutDefaults } from './cursor.ts'
import type { ActionContext, Json } from './define-tool.ts'
import { filterDefaults } from './params.ts'

/** Tokens for what comes to a page when its rows are known: cursor, next offset, the words of a cut. */
const tailTokens = 900

interface PageArgs {
  readonly limit: number
  readonly offset: number
  readonly cursor: string | undefined
}

/** Where a page begins and with which filters, whether it is the first or a cursor's. */
export interface PageStart {
  readonly filters: Json
  /** The instant that relative times are read against: the first page's, on every page. */
  readonly now: Date
  readonly request: PageRequest
  readonly position: number
}

/**
 * @param given filters of this call, without defaults; beside a cursor they may be left out, not changed.
 * @param maxReach rows that offset and limit may reach to together.
 * @throws cursor_invalid, cursor_expired, conflicting_arguments, query_too_broad.
 */
export function startPage(context: ActionContext, args: PageArgs, given: Json, maxReach: number): PageStart {
  const { limit, offset, cursor } = args
  if (cursor === undefined) {
    requireReach(offset + limit, maxReach)
    if (offset > 0)
      context.note(
        'Pages by offset belong together only while every other argument stays the same: other filters start another list. next_cursor is immune to new mail as well.',
      )
    const filters = withoutDefaults(given, filterDefaults)
    return { filters, now: context.now, request: { limit, offset, after: null }, position: offset }
  }
  if (offset > 0) {
    throw new Fault('conflicting_arguments', {
      public: 'cursor and offset both say where to continue. One of them is enough. Nothing was done.',
      details: { argument: 'offset' },
    })
  }
  const state = openCursor(context.deps.cursorSigner, bindingOf(context), cursor, {
    given,
    defaults: filterDefaults,
    now: context.now,
  })
  return {
    filters: state.filters,
    now: state.now,
    request: { limit, offset: 0, after: state.anchor },
    position: state.position,
  }
}

interface Page<Row> {
  readonly rows: readonly Row[]
  /** Where a cursor goes on after each row; as long as `rows`. */
  readonly anchors: readonly Anchor[]
  readonly hasMore: boolean
  /** Everything else of the answer: what it costs, rows cannot. */
  readonly beside: Json
}

/** The rows that fit a result, and where the next page begins: at the first row left out. */
export function finishPage<Row>(
  context: ActionContext,
  start: PageStart,
  page: Page<Row>,
): {
  readonly rows: Row[]
  readonly paging: {
    readonly has_more: boolean
    readonly next_offset: number | null
    readonly next_cursor: string | null
  }
  readonly truncation: Truncation
} {
  const rows = fitItems(page.rows, roomBeside(context, page.beside) - tailTokens)
  const isCut = rows.length < page.rows.length
  const hasMore = page.hasMore || isCut
  // A page whose messages have all gone meanwhile still moves on.
  const position = start.position + (rows.length > 0 ? rows.length : start.request.limit)
  const anchor = page.anchors[rows.length - 1] ?? start.request.after
  const next =
    hasMore && anchor !== null
      ? sealCursor(
          context.deps.cursorSigner,
          bindingOf(context),
          { filters: start.filters, now: start.now, anchor, position },
          context.now,
        )
      : null
  if (next !== null && !carriesFilters(start.filters))
    context.note(
      'These filters are too long for next_cursor to carry: beside it they have to be given again, unchanged.',
    )
  return {
    rows: [...rows],
    paging: { has_more: hasMore, next_offset: hasMore ? position : null, next_cursor: next },
    truncation: isCut
      ? truncated(
          'The result reached its size cap; next_cursor and next_offset continue at the first row left out.',
        )
      : {},
  }
}

/** What a cursor of the running action is bound to. */
export function bindingOf({ principal, operation, inboxes }: ActionContext): CursorBinding {
  return { principalId: principal.principalId, operation, inboxIds: inboxes.map(({ inboxId }) => inboxId) }
}

function requireReach(reach: number, maxReach: number): void {
  if (reach <= maxReach) return
  throw new Fault('query_too_broad', {
    public: `offset and limit reach row ${reach}, and pages by offset end at row ${maxReach} here. A narrower search, or next_cursor, goes further. Nothing was done.`,
    details: { count: reach, limit: maxReach },
  })
}
