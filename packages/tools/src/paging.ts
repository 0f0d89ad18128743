import { Fault } from '@postern/core'
import type { Anchor, PageRequest } from '@postern/mail'
import { type CursorBinding, openCursor, sealCursor } from './cursor.ts'
import type { ActionContext, Json } from './define-tool.ts'
import { fitItems, maxResultTokens } from './render.ts'

/** Tokens a page leaves for everything that is not a row, the next cursor among it. */
const reserveTokens = 3_000

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
        'Pages by offset belong together only while every other argument stays the same; next_cursor is safer.',
      )
    return { filters: given, now: context.now, request: { limit, offset, after: null }, position: offset }
  }
  if (offset > 0) {
    throw new Fault('conflicting_arguments', {
      public: 'cursor already says where to continue: leave offset out, or cursor.',
      details: { argument: 'offset' },
    })
  }
  const state = openCursor(context.deps.cursorSigner, bindingOf(context), cursor, { given, now: context.now })
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
  readonly truncation: { readonly truncated?: true; readonly truncated_reason?: string }
} {
  const rows = fitItems(page.rows, maxResultTokens - reserveTokens)
  const isCut = rows.length < page.rows.length
  const hasMore = page.hasMore || isCut
  const position = start.position + rows.length
  const anchor = page.anchors[rows.length - 1]
  const next =
    hasMore && anchor !== undefined
      ? sealCursor(
          context.deps.cursorSigner,
          bindingOf(context),
          { filters: start.filters, now: start.now, anchor, position },
          context.now,
        )
      : null
  return {
    rows: [...rows],
    paging: { has_more: hasMore, next_offset: hasMore ? position : null, next_cursor: next },
    truncation: isCut
      ? {
          truncated: true as const,
          truncated_reason:
            'The result reached its size cap; next_cursor and next_offset continue at the first row left out.',
        }
      : {},
  }
}

function bindingOf({ principal, operation, inboxes }: ActionContext): CursorBinding {
  return { principalId: principal.principalId, operation, inboxIds: inboxes.map(({ inboxId }) => inboxId) }
}

function requireReach(reach: number, maxReach: number): void {
  if (reach <= maxReach) return
  throw new Fault('query_too_broad', {
    public: `offset and limit reach row ${reach}, but pages end at row ${maxReach} here. Narrow the search, or page by next_cursor.`,
    details: { count: reach, limit: maxReach },
  })
}
