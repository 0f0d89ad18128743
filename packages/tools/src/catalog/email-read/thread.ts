import { Fault } from '@postern/core'
import { cleanLine, nameThread, readMessageFields, rawText, type ReadMail, type Thread } from '@postern/mail'
import * as z from 'zod'
import { maxResultTokens, roomBeside, truncated } from '../../budget.ts'
import { type ActionContext, defineAction } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { cleanText, coverage, paging, person, truncation, untrusted } from '../../outputs.ts'
import * as params from '../../params.ts'
import type { OpenOptions } from './open-message.ts'
import { fitThread } from './thread-fit.ts'
import { directionOf, threadMessage } from './thread-message.ts'
import { openThreadPage } from './thread-open.ts'
import { listParticipants } from './thread-participants.ts'
import { type AskedThread, requireThread } from './thread-ref.ts'

/** Tokens of a page that nobody asked to be larger. */
const pageTokens = 8_000
const usualLimit = 20
/** Tokens of paging fields and the words of a cut. */
const tailTokens = 100

export const thread = defineAction({
  action: 'thread',
  effect: 'read',
  scopes: [['read:email']],
  target: 'inbox',
  seconds: 25,
  input: z.strictObject({
    message_id: params.messageId.optional(),
    thread_id: params.threadId.optional(),
    limit: params.threadLimit,
    offset: params.offset,
    body_max_chars: params.batchBodyMaxChars,
    links: params.links,
  }),
  output: z.strictObject({
    thread_id: z.string(),
    subject: cleanText,
    total_messages: z.number().int(),
    last_direction: z.enum(['in', 'out']).describe('Who wrote last, drafts aside: out is the owner.'),
    complete: coverage.complete,
    messages: z.array(threadMessage),
    participants: z.array(person),
    participant_count: z.number().int().optional(),
    ...paging,
    inbox_id: z.string(),
    untrusted_boundary: z.string(),
    ...truncation,
    untrusted_content: untrusted,
  }),
  example: { message_id: 'm_...' },
  async run(input, context) {
    const asked = requireThread(input, context)
    const mail = await context.openMail(onlyInbox(context))
    const found = await findThread(mail, asked, context)
    const { limit, offset, links, body_max_chars: maxChars } = input
    const total = found.messages.length
    const page = found.messages.toReversed().slice(offset, offset + limit)
    const options: OpenOptions = {
      links,
      includeHtml: false,
      withBody: maxChars > 0,
      pool: context.deps.htmlPool?.of(context.principal.tenantId) ?? null,
    }
    const items = await openThreadPage(mail, { messages: page, position: total - offset }, options, context)
    const { head, tail } = describeThread(found, context)
    const isLarge = limit > usualLimit || maxChars > params.sharedBodyChars
    const room = roomBeside(context, { ...head, ...tail }) - tailTokens
    const budget = isLarge ? room : room - (maxResultTokens - pageTokens)
    const messages = fitThread(items, { subject: head.subject, links, maxChars, budget }, context)
    const next = offset + messages.length
    const hasMore = page.length > 0 && next < total
    return {
      ...head,
      messages: [...messages],
      ...tail,
      has_more: hasMore,
      next_offset: hasMore ? next : null,
      ...(messages.length < page.length
        ? truncated('The result reached its size cap; next_offset continues at the first message left out.')
        : {}),
    }
  },
})

/** @throws message_not_found in terms of the id that was given; provider_*, timeout. */
async function findThread(mail: ReadMail, asked: AskedThread, context: ActionContext): Promise<Thread> {
  try {
    const found = await mail.listThread(asked.ref, context.call)
    if (!found.isComplete) {
      context.note(
        'The conversation may have more messages: a folder could not be searched, or a bound on the search was reached.',
      )
    }
    return found
  } catch (error) {
    throw error instanceof Fault && error.code === 'message_not_found' ? asked.notFound() : error
  }
}

/** What holds for the whole conversation, whichever page of it is shown. */
function describeThread(found: Thread, context: ActionContext) {
  const inbox = onlyInbox(context)
  const [oldest] = found.messages
  const last = found.messages.findLast(({ flags }) => !flags.draft) ?? found.messages.at(-1)
  const { listed, count } = listParticipants(found.messages)
  const subject = oldest === undefined ? rawText('') : readMessageFields(oldest.headers, oldest.tree).subject
  const direction: 'in' | 'out' = last === undefined ? 'in' : directionOf(last, context)
  return {
    head: {
      thread_id: nameThread(context.deps.messageIdSigner, inbox.inboxId, found),
      subject: cleanLine(subject),
      total_messages: found.messages.length,
      last_direction: direction,
      complete: found.isComplete,
    },
    tail: {
      participants: [...listed],
      ...(listed.length < count ? { participant_count: count } : {}),
      inbox_id: inbox.inboxId,
      untrusted_boundary: context.nonce,
      untrusted_content: true as const,
    },
  }
}
