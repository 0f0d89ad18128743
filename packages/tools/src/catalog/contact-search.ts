import * as z from 'zod'
import { fitItems, roomBeside } from '../budget.ts'
import { defineAction, defineTool, type ActionContext } from '../define-tool.ts'
import * as contactParams from '../contacts/contact-params.ts'
import {
  anyContactRow,
  maxLastInteractions,
  maxLoggedInteractions,
  renderContact,
  renderDetails,
  renderLog,
  type AnyContactRow,
  type RowView,
} from '../contacts/contact-row.ts'
import { findPeople } from '../contacts/find-people.ts'
import { readLines } from '../contacts/interaction-lines.ts'
import type { Person } from '../contacts/person.ts'
import { paging, truncation, untrusted } from '../outputs.ts'
import { truncated } from '../budget.ts'
import { cleanLine, rawText } from '@postern/mail'
import { cleanText } from '../outputs.ts'

const action = defineAction({
  action: null,
  effect: 'read',
  scopes: [['read:contacts', 'manage:contacts']],
  target: 'book',
  seconds: 25,
  input: z.strictObject({
    query: contactParams.query,
    limit: contactParams.limit,
    offset: contactParams.offset,
    context: contactParams.addressContext,
    format: contactParams.format,
  }),
  output: z.strictObject({
    query: cleanText,
    contacts: z.array(anyContactRow),
    total: z.number().int(),
    ...paging,
    total_is_estimate: z
      .literal(true)
      .describe('Mail is not fully read, or over 1,000 match: at least total.')
      .optional(),
    scan_truncated: z.literal(true).optional(),
    ...truncation,
    untrusted_content: untrusted,
  }),
  example: { query: 'amy' },
  async run({ query, limit, offset, context: addressContext, format }, context) {
    const isDetailed = format === 'detailed'
    const shown = shownOf(limit)
    const interactions = isDetailed ? maxLoggedInteractions : shown
    const page = await findPeople({ text: query, order: 'latest', limit, offset, interactions }, context)
    const lines = await readLines(page.people, interactions, context)
    const view: RowView = { addressContext, query, lines, shown }
    const rows = page.people.map((person) => renderRow(person, view, isDetailed ? context : null))
    if (offset > 0)
      context.note('Pages belong together only while all arguments but offset and limit stay the same.')
    const rest = {
      query: cleanLine(rawText(query)),
      total: page.total,
      ...(page.isEstimate ? { total_is_estimate: true as const } : {}),
      ...(page.isScanTruncated ? { scan_truncated: true as const } : {}),
      untrusted_content: true as const,
    }
    const contacts = fitItems(rows, roomBeside(context, rest))
    const isCut = contacts.length < rows.length
    const hasMore = page.hasMore || isCut
    return {
      contacts: [...contacts],
      ...rest,
      has_more: hasMore,
      next_offset: hasMore && contacts.length > 0 ? offset + contacts.length : null,
      ...(isCut ? truncated('The page ends where its size ran out; next_offset goes on.') : {}),
    }
  },
})

/** With many rows fewer lines each: a page of 20 fits its tokens. */
function shownOf(limit: number): number {
  if (limit <= 10) return maxLastInteractions
  return limit <= 20 ? 2 : 1
}

function renderRow(person: Person, view: RowView, detailed: ActionContext | null): AnyContactRow {
  const row = renderContact(person, view)
  if (detailed === null) return row
  const interactions = renderLog(person, view.lines, detailed.deps.messageIdSigner)
  return { ...row, ...renderDetails(person), interactions }
}

export const contactSearch = defineTool({
  name: 'contact_search',
  title: 'Find contacts',
  description:
    'Finds people in the address book that builds itself from mail headers; a query of one or two characters matches beginnings of words. ' +
    'All inboxes unless one is named; each person is one row, latest contact first. Several people may match: all are returned, none is chosen. ' +
    'address_confidence rates email_address (high: the owner entered it, or wrote to it and names agree; low: role mailbox, forged, bounced or hardly seen); relationship rates contact in both directions (close, regular, occasional, minimal, none). ' +
    'last_interactions have subjects, read from the mailbox now. contact_id is null for who is known from unread headers only. ' +
    'contact edits people; email_read has their messages.',
  isIdempotent: true,
  isBulk: false,
  toolset: 'core',
  actions: [action],
})

export const searchContactBook = action
