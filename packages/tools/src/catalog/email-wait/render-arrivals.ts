import type { InboxRecord } from '@postern/access'
import { withDeadline } from '@postern/core'
import type { Arrival, LinksMode, ReadMail } from '@postern/mail'
import * as z from 'zod'
import { fitItems, maxResultTokens, tokensOf } from '../../budget.ts'
import type { ActionContext } from '../../define-tool.ts'
import { cleanText, messageRow } from '../../outputs.ts'
import { itemCall, settle } from '../../settle.ts'
import { continueBody } from '../email-read/continue-body.ts'
import { renderRow, rowContextOf } from '../email-read/message-row.ts'
import { openMessage, type OpenedMessage } from '../email-read/open-message.ts'
import { renderWindow } from '../email-read/render-window.ts'

/** What a body is cut to before whole messages are left out. */
const shortBodyChars = 500
/** Bodies brought at the same time. */
const parallel = 5

/** A row, and with include_body what a person would read of it. */
export const arrivedRow = messageRow.extend({
  body: cleanText.optional(),
  body_source: z.enum(['plain', 'html', 'none']).optional(),
  body_truncated: z.boolean().optional(),
  body_offset: z.number().int().optional(),
  body_total_chars: z.number().int().optional(),
  body_next_offset: z.number().int().nullable().optional(),
  body_continue: z.record(z.string(), z.unknown()).optional(),
})
type ArrivedRow = z.input<typeof arrivedRow>

export interface BodyWish {
  readonly maxChars: number
  readonly links: LinksMode
}

interface Opened {
  readonly arrival: Arrival
  /** Null where no body was wanted, or it could not be had. */
  readonly body: OpenedMessage | null
  readonly isLost: boolean
}

/** Brings the bodies of all of these. One that cannot be had leaves its row, which says so. */
export async function openArrivals(
  mail: ReadMail,
  arrivals: readonly Arrival[],
  wish: BodyWish | null,
  context: ActionContext,
): Promise<readonly Opened[]> {
  if (wish === null || wish.maxChars === 0)
    return arrivals.map((arrival) => ({ arrival, body: null, isLost: false }))
  const call = itemCall(context.call)
  const options = {
    links: wish.links,
    includeHtml: false,
    withBody: true,
    pool: context.deps.htmlPool?.of(context.principal.tenantId) ?? null,
  }
  const open = async (arrival: Arrival): Promise<Opened> => {
    const opening = (): Promise<OpenedMessage> =>
      withDeadline(openMessage(mail, arrival.message, options, call), call.deadline, call.signal)
    const { value } = await settle(opening, call)
    return { arrival, body: value, isLost: value === null }
  }
  const opened: Opened[] = []
  for (let start = 0; start < arrivals.length; start += parallel) {
    opened.push(...(await Promise.all(arrivals.slice(start, start + parallel).map(open))))
  }
  return opened
}

interface Rendering {
  readonly inbox: InboxRecord
  /** The only folder that is watched, or null. */
  readonly folderId: string | null
  readonly wish: BodyWish | null
  readonly maxTokens: number
}

/** Whole bodies where they fit; else short ones, and of these as many rows as fit, at least one. */
export function fitArrivals(
  opened: readonly Opened[],
  rendering: Rendering,
  context: ActionContext,
): { readonly rows: readonly ArrivedRow[]; readonly isShortened: boolean } {
  const renderAll = (maxChars: number): readonly ArrivedRow[] =>
    opened.map((each) => renderOne(each, maxChars, rendering, context))
  const full = renderAll(rendering.wish?.maxChars ?? 0)
  if (tokensOf(full) <= rendering.maxTokens) return { rows: full, isShortened: false }
  const short = renderAll(Math.min(shortBodyChars, rendering.wish?.maxChars ?? 0))
  return { rows: fitItems(short, rendering.maxTokens), isShortened: rendering.wish !== null }
}

function renderOne(
  { arrival, body: opened, isLost }: Opened,
  maxChars: number,
  { inbox, folderId, wish }: Rendering,
  context: ActionContext,
): ArrivedRow {
  const row = renderRow(arrival, rowContextOf(context, inbox, folderId))
  if (isLost)
    return { ...row, row_error: 'The body could not be read; email_read read with the message_id may.' }
  if (wish === null || opened === null || opened.body === null) return row
  const request = { offset: 0, maxChars, htmlOffset: 0, maxTokens: maxResultTokens / 2 }
  const window = renderWindow(opened.body, request, context.nonce)
  const rest = continueBody(row.message_id, window, { links: wish.links, maxChars: null }, context)
  return { ...row, body_source: opened.source, ...window, ...rest }
}
