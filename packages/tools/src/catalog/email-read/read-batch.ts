import { withDeadline } from '@postern/core'
import type { ReadMail } from '@postern/mail'
import * as z from 'zod'
import { fitItems, maxResultTokens, roomBeside, tokensOf, truncated } from '../../budget.ts'
import { type ActionContext, defineAction } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { truncation, untrusted } from '../../outputs.ts'
import * as params from '../../params.ts'
import { itemCall, type Settled, settle } from '../../settle.ts'
import { continueBody } from './continue-body.ts'
import { fullMessage } from './full-message.ts'
import { messageNotFound, requireRef, shownId } from '../../message-ids.ts'
import { openMessage, type OpenedMessage, type OpenOptions } from './open-message.ts'
import { type FullMessage, renderMessage } from './render-message.ts'
import { renderHtmlWindow, renderWindow } from './render-window.ts'
import { shareEvenly } from './share-evenly.ts'

/** Body characters of a batch together; what a short one leaves goes to the others. */
const sharedChars = 24_000
/** What a body is cut to before whole messages are left out. */
const shortBodyChars = 500
/** Bodies brought at the same time; the pool of the adapter decides what really runs side by side. */
const parallel = 5

export const readBatch = defineAction({
  action: 'read_batch',
  effect: 'read',
  scopes: [['read:email']],
  target: 'inbox',
  seconds: 25,
  input: z.strictObject({
    message_ids: params.messageIds,
    body_max_chars: params.batchBodyMaxChars,
    include_html: params.includeHtml,
    links: params.links,
  }),
  output: z.strictObject({
    messages: z.array(fullMessage),
    failed: z
      .array(z.strictObject({ message_id: z.string(), code: z.string() }))
      .describe('Messages that were not read, and why.'),
    remaining_message_ids: z
      .array(z.string())
      .describe('Left out by the size cap: for another read_batch.')
      .optional(),
    inbox_id: z.string(),
    ...truncation,
    untrusted_content: untrusted,
  }),
  example: { message_ids: ['m_...', 'm_...'] },
  async run(input, context) {
    const ids = [...new Set(input.message_ids)]
    const options: OpenOptions = {
      links: input.links,
      includeHtml: input.include_html,
      withBody: input.body_max_chars > 0,
      pool: context.deps.htmlPool?.of(context.principal.tenantId) ?? null,
    }
    const items = await openAll(await context.openMail(onlyInbox(context)), ids, options, context)
    const failed = listFailed(items, context)
    const rest = { failed, inbox_id: onlyInbox(context).inboxId, untrusted_content: true as const }
    const opened = items.flatMap(({ value }) => (value === null ? [] : [value]))
    const { messages, left, isCut } = fitMessages(opened, { ...options, ...input }, rest, context)
    const named = left.length === 0 ? '' : ', and remaining_message_ids names messages that were left out'
    return {
      messages: [...messages],
      ...(left.length === 0 ? {} : { remaining_message_ids: left }),
      ...(isCut
        ? truncated(
            `The result reached its size cap: bodies were cut to ${shortBodyChars} characters${named}.`,
          )
        : {}),
      ...rest,
    }
  },
})

type Item = { readonly id: string } & Settled<OpenedMessage>

async function openAll(
  mail: ReadMail,
  ids: readonly string[],
  options: OpenOptions,
  context: ActionContext,
): Promise<readonly Item[]> {
  const call = itemCall(context.call)
  const known = await Promise.all(
    ids.map(async (id) => ({ id, ref: await settle(async () => requireRef(id, context), call) })),
  )
  const refs = known.flatMap(({ ref }) => (ref.value === null ? [] : [ref.value]))
  const found = refs.length === 0 ? [] : await mail.getMessages(refs, context.call)
  const byRef = new Map(found.map((each) => [each.ref, each]))
  const open = async ({ id, ref }: (typeof known)[number]): Promise<Item> => {
    if (ref.fault !== null) return { id, value: null, fault: ref.fault }
    const answer = byRef.get(ref.value)
    if (answer === undefined || !answer.isFound)
      return { id, value: null, fault: answer?.fault ?? messageNotFound(id) }
    const opening = openMessage(mail, answer.value, options, call)
    return { id, ...(await settle(() => withDeadline(opening, call.deadline, call.signal), call)) }
  }
  const items: Item[] = []
  for (let start = 0; start < known.length; start += parallel) {
    items.push(...(await Promise.all(known.slice(start, start + parallel).map(open))))
  }
  return items
}

/** @throws the first failure when there is nothing else to tell. */
function listFailed(
  items: readonly Item[],
  { note }: ActionContext,
): { readonly message_id: string; readonly code: string }[] {
  const failed = items.flatMap(({ id, fault }) => (fault === null ? [] : [{ id, fault }]))
  const [first] = failed
  if (first !== undefined && failed.length === items.length) throw first.fault
  const homes = new Set(
    failed.flatMap(({ fault }) => (fault.code === 'inbox_mismatch' ? [fault.details['inbox_id']] : [])),
  )
  for (const home of homes)
    note(
      `Of the failed ids some belong to another inbox of this key: with inbox_id ${String(home)} they are read.`,
    )
  return failed.map(({ id, fault }) => ({ message_id: shownId(id), code: fault.code }))
}

interface Fitted {
  readonly messages: readonly FullMessage[]
  /** Ids of the messages that did not fit. */
  readonly left: string[]
  readonly isCut: boolean
}

/** Whole bodies where they fit; else short ones, and of these as many messages as fit. */
function fitMessages(
  opened: readonly OpenedMessage[],
  options: OpenOptions & { readonly body_max_chars: number },
  rest: { readonly failed: unknown },
  context: ActionContext,
): Fitted {
  const needs = opened.map(({ body }) => Math.min(body?.text.length ?? 0, options.body_max_chars))
  const shares = shareEvenly(needs, sharedChars)
  const renderAll = (maxChars: number): FullMessage[] =>
    opened.map((each, index) => renderOne(each, Math.min(shares[index] ?? 0, maxChars), options, context))
  const full = renderAll(sharedChars)
  const ids = full.map(({ message_id }) => message_id)
  const budget = roomBeside(context, rest) - 100
  if (tokensOf(full) <= budget) return { messages: full, left: [], isCut: false }
  const messages = fitItems(renderAll(shortBodyChars), budget - tokensOf(ids))
  return { messages, left: ids.slice(messages.length), isCut: true }
}

function renderOne(
  opened: OpenedMessage,
  chars: number,
  options: OpenOptions,
  context: ActionContext,
): FullMessage {
  const rendered = renderMessage(opened, onlyInbox(context), context)
  if (opened.body === null) return rendered
  const request = { offset: 0, maxChars: chars, htmlOffset: 0, maxTokens: maxResultTokens }
  const window = renderWindow(opened.body, request, context.nonce)
  return {
    ...rendered,
    ...window,
    ...continueBody(rendered.message_id, window, { links: options.links, maxChars: null }, context),
    ...(options.includeHtml ? renderHtmlWindow(opened.body, request, context.nonce) : {}),
  }
}
