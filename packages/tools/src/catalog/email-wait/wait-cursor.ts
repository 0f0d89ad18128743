import { Fault } from '@postern/core'
import { parseTime, type FolderId, type FolderMark } from '@postern/mail'
import { createHash } from 'node:crypto'
import * as z from 'zod'
import {
  carriedOf,
  carriesFilters,
  expiryOf,
  openState,
  requireFresh,
  sealState,
  settleFilters,
  withoutDefaults,
} from '../../cursor.ts'
import type { ActionContext, Json } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { bindingOf } from '../../paging.ts'
import { filterDefaults } from '../../params.ts'

/** What `since` stands for where it is left out. */
export const defaultSince = '2m'

/** Where a wait begins. */
export interface WaitStart {
  readonly filters: Json
  /** The instant that relative times are read against: the first call's, in every later one. */
  readonly now: Date
  /** What was received before it and lay there at the first call is no arrival. */
  readonly since: Date
  /** How far the folders are seen that have been looked into. */
  marksOf(folderIds: readonly FolderId[]): readonly FolderMark[]
}

const version = 1

/** version, expiry, instant of the first call, since, marks by digest of the folder id, filters. */
const sealed = z.tuple([
  z.literal(version),
  z.number(),
  z.number(),
  z.number(),
  z.array(z.tuple([z.string(), z.string().max(80)])),
  z.union([z.record(z.string(), z.unknown()), z.string()]),
])

/** @throws cursor_invalid, cursor_expired, invalid_arguments (times). */
export function startWait(context: ActionContext, cursor: string | undefined, given: Json): WaitStart {
  if (cursor === undefined) {
    const filters = withoutDefaults(given, filterDefaults)
    return {
      filters,
      now: context.now,
      since: readSince(filters['since'], context),
      marksOf: () => [],
    }
  }
  const { cursorSigner } = context.deps
  const [, expiresMs, startedMs, sinceMs, marks, carried] = openState(
    cursorSigner,
    bindingOf(context),
    cursor,
    sealed,
  )
  requireFresh(expiresMs, context.now)
  const byFolder = new Map(marks)
  return {
    filters: settleFilters(carried, given, { ...filterDefaults, since: defaultSince }),
    now: new Date(startedMs),
    since: new Date(sinceMs),
    marksOf: (folderIds) =>
      folderIds.flatMap((folderId) => {
        const at = byFolder.get(digestOf(folderId))
        return at === undefined ? [] : [{ folderId, at }]
      }),
  }
}

/** The cursor that goes on behind these marks. */
export function sealWait(context: ActionContext, start: WaitStart, marks: readonly FolderMark[]): string {
  if (!carriesFilters(start.filters))
    context.note('These filters are too long for cursor to carry: beside it they are given again, unchanged.')
  return sealState(context.deps.cursorSigner, bindingOf(context), [
    version,
    expiryOf(context.deps.clock.now()),
    start.now.getTime(),
    start.since.getTime(),
    marks.map(({ folderId, at }) => [digestOf(folderId), at] as const),
    carriedOf(start.filters),
  ] satisfies z.input<typeof sealed>)
}

/** Folder ids may be long, and a cursor only has to know them again. */
function digestOf(folderId: FolderId): string {
  return createHash('sha256').update(folderId).digest('base64url').slice(0, 12)
}

function readSince(given: unknown, context: ActionContext): Date {
  const { timezone } = onlyInbox(context)
  const { at, isZoneAssumed } = parseTime(typeof given === 'string' ? given : defaultSince, 'since', {
    now: context.now,
    timezone,
  })
  if (isZoneAssumed) context.note(`since named no time zone and was read in the inbox's, ${timezone}.`)
  if (at > context.now) {
    throw new Fault('invalid_arguments', {
      public: `since says from when mail that is there already counts, and ${at.toISOString()} is still to come. Without it the last 2 minutes count. Nothing was done.`,
      details: { argument: 'since', since: at.toISOString() },
    })
  }
  return at
}
