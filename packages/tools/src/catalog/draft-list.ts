import * as z from 'zod'
import { fitItems, roomBeside, truncated } from '../budget.ts'
import * as parts from '../compose-params.ts'
import { findAnswered } from '../compose/find-answered.ts'
import { draftRow, fullDraft, renderDraftRow, renderFullDraft } from '../compose/render-draft.ts'
import { findDraft } from '../compose/stored-draft.ts'
import { type ActionContext, defineAction, defineTool } from '../define-tool.ts'
import { onlyInbox } from '../only-inbox.ts'
import { paging, truncation, untrusted } from '../outputs.ts'
import * as params from '../params.ts'
import { openMessage } from './email-read/open-message.ts'
import { renderWindow } from './email-read/render-window.ts'

/** Tokens of a result beside rows or body: paging, fences, window fields. */
const besideTokens = 400

const input = z.strictObject({
  limit: z.number().int().min(1).max(50).describe('Drafts per page.').default(20).meta({ kind: 'clamped' }),
  offset: params.offset,
  draft_id: parts.draftId.describe('Shows this one draft in full, instead of the list.').optional(),
  body_max_chars: params.bodyMaxChars.describe('With draft_id: most characters of its body.'),
  body_offset: params.bodyOffset.describe(
    'With draft_id: where in the body to start, body_next_offset of the call before.',
  ),
})

const output = z.strictObject({
  inbox_id: z.string(),
  drafts: z.array(draftRow).describe('Latest update first.').optional(),
  total: z.number().int().optional(),
  draft: fullDraft.describe('The one that draft_id names.').optional(),
  has_more: paging.has_more.optional(),
  next_offset: paging.next_offset.optional(),
  ...truncation,
  untrusted_boundary: z.string().optional(),
  untrusted_content: untrusted,
})

const action = defineAction({
  action: null,
  effect: 'read',
  scopes: [['manage:drafts']],
  target: 'inbox',
  seconds: 25,
  input,
  output,
  example: {},
  run: (args, context) =>
    args.draft_id === undefined ? list(args, context) : show(args.draft_id, args, context),
})

type Args = z.output<typeof input>
type Output = z.input<typeof output>

async function list({ limit, offset }: Args, context: ActionContext): Promise<Output> {
  const inbox = onlyInbox(context)
  const mail = await context.openMail(inbox)
  const page = await mail.listDrafts({ limit, offset, after: null }, context.call)
  const rest = { inbox_id: inbox.inboxId, total: page.total, untrusted_content: true as const }
  const rows = page.drafts.map(({ draft, message }) => renderDraftRow(draft, message, context))
  const drafts = fitItems(rows, roomBeside(context, rest) - besideTokens)
  const hasMore = page.hasMore || drafts.length < rows.length
  return {
    ...rest,
    drafts: [...drafts],
    has_more: hasMore,
    next_offset: hasMore ? offset + drafts.length : null,
    ...(drafts.length < rows.length
      ? truncated('The page reached its size cap; next_offset continues it.')
      : {}),
  }
}

async function show(draftId: string, args: Args, context: ActionContext): Promise<Output> {
  const inbox = onlyInbox(context)
  const mail = await context.openMail(inbox)
  const { draft, message } = await findDraft(draftId, mail, context)
  const options = {
    links: 'full',
    includeHtml: false,
    withBody: args.body_max_chars > 0,
    pool: context.deps.htmlPool?.of(context.principal.tenantId) ?? null,
  } as const
  const opened = await openMessage(mail, message, options, context.call)
  const head = renderFullDraft(draft, opened, await findAnswered(message, mail, context), context)
  const rest = {
    inbox_id: inbox.inboxId,
    untrusted_boundary: context.nonce,
    untrusted_content: true as const,
  }
  if (opened.body === null) return { ...rest, draft: head }
  const request = {
    offset: args.body_offset,
    maxChars: args.body_max_chars,
    htmlOffset: 0,
    maxTokens: roomBeside(context, { ...rest, draft: head }) - besideTokens,
  }
  return { ...rest, draft: { ...head, ...renderWindow(opened.body, request, context.nonce) } }
}

export const draftList = defineTool({
  name: 'draft_list',
  title: 'List drafts',
  description:
    'Lists the unsent messages of the Drafts folder, those of other mail programs too, latest update first, or shows the one that draft_id names in full, with body and attachment names. ' +
    'Gives the current draft_id of each: over IMAP every update makes a new one. ' +
    'Of a cut body pass body_next_offset as body_offset. ' +
    'Writing, changing and sending is draft.',
  isIdempotent: true,
  isBulk: false,
  toolset: 'core',
  actions: [action],
})
