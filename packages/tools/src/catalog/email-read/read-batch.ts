import { estimateTokens, type ReadMail } from '@postern/mail'
import * as z from 'zod'
import { type ActionContext, defineAction } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { truncation, untrusted } from '../../outputs.ts'
import * as params from '../../params.ts'
import { fitItems, maxResultTokens } from '../../render.ts'
import { messageNotFound, requireRef } from './message-ids.ts'
import { type Settled, settle } from '../../settle.ts'
import { openMessage, type OpenedMessage, type OpenOptions } from './open-message.ts'
import {
  fullMessage,
  type FullMessage,
  renderHtmlWindow,
  renderMessage,
  renderWindow,
} from './render-message.ts'

/** Body characters of a batch together; what a short one leaves goes to the others. */
const sharedChars = 24_000
/** What a body is cut to before whole messages are left out. */
const shortBodyChars = 500
const reserveTokens = 2_000
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
    failed: z.array(z.strictObject({ message_id: z.string(), code: z.string() })),
    /** Ids left out by the size cap, for the next call. */
    remaining_message_ids: z.array(z.string()).optional(),
    inbox_id: z.string(),
    ...truncation,
    untrusted_content: untrusted,
  }),
  example: { message_ids: ['m_...', 'm_...'] },
  async run(input, context) {
    const inbox = onlyInbox(context)
    const ids = [...new Set(input.message_ids)]
    const options: OpenOptions = {
      links: input.links,
      includeHtml: input.include_html,
      withBody: input.body_max_chars > 0,
      pool: context.deps.htmlPool,
    }
    const items = await openAll(await context.openMail(inbox), ids, options, context)
    const opened = items.flatMap(({ value }) => (value === null ? [] : [value]))
    const failed = items.flatMap(({ id, fault }) =>
      fault === null ? [] : [{ message_id: id.slice(0, 512), fault }],
    )
    const [firstFailure] = failed
    if (opened.length === 0 && firstFailure !== undefined) throw firstFailure.fault
    const shares = shareChars(
      opened.map(({ body }) => Math.min(body?.text.length ?? 0, input.body_max_chars)),
    )
    const renderAll = (maxChars: number): FullMessage[] =>
      opened.map((each, index) => renderOne(each, Math.min(shares[index] ?? 0, maxChars), options, context))
    const full = renderAll(sharedChars)
    const isLarge =
      full.reduce((sum, each) => sum + estimateTokens(JSON.stringify(each)), 0) >
      maxResultTokens - reserveTokens
    const messages = fitItems(isLarge ? renderAll(shortBodyChars) : full, maxResultTokens - reserveTokens)
    const left = full.slice(messages.length).map(({ message_id }) => message_id)
    return {
      messages: [...messages],
      failed: failed.map(({ message_id, fault }) => ({ message_id, code: fault.code })),
      ...(left.length === 0 ? {} : { remaining_message_ids: left }),
      inbox_id: inbox.inboxId,
      ...(isLarge
        ? {
            truncated: true as const,
            truncated_reason: `The result reached its size cap: bodies were cut to ${shortBodyChars} characters${left.length === 0 ? '' : ', and remaining_message_ids were left out'}.`,
          }
        : {}),
      untrusted_content: true as const,
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
  const known = await Promise.all(
    ids.map(async (id) => ({ id, ref: await settle(async () => requireRef(id, context)) })),
  )
  const refs = known.flatMap(({ ref }) => (ref.value === null ? [] : [ref.value]))
  const found = refs.length === 0 ? [] : await mail.getMessages(refs, context.call)
  const byRef = new Map(found.map((each) => [each.ref, each]))
  const open = async ({ id, ref }: (typeof known)[number]): Promise<Item> => {
    if (ref.fault !== null) return { id, value: null, fault: ref.fault }
    const answer = byRef.get(ref.value)
    if (answer === undefined || !answer.isFound)
      return { id, value: null, fault: answer?.fault ?? messageNotFound(id) }
    return { id, ...(await settle(() => openMessage(mail, answer.value, options, context.call))) }
  }
  const items: Item[] = []
  for (let start = 0; start < known.length; start += parallel) {
    items.push(...(await Promise.all(known.slice(start, start + parallel).map(open))))
  }
  return items
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
  return {
    ...rendered,
    ...renderWindow(opened.body, request, context.nonce),
    ...(options.includeHtml ? renderHtmlWindow(opened.body, request, context.nonce) : {}),
  }
}

/** An even share each of `sharedChars`; what a short body does not need passes on to the longer ones. */
function shareChars(needs: readonly number[]): readonly number[] {
  const shares = needs.map(() => 0)
  const byNeed = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need)
  let left = sharedChars
  for (const [position, { need, index }] of byNeed.entries()) {
    const share = Math.min(need, Math.floor(left / (byNeed.length - position)))
    shares[index] = share
    left -= share
  }
  return shares
}
