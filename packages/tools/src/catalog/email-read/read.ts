import * as z from 'zod'
import { roomBeside } from '../../budget.ts'
import { defineAction } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { untrusted } from '../../outputs.ts'
import * as params from '../../params.ts'
import { continueBody } from './continue-body.ts'
import { fullMessage } from './full-message.ts'
import { messageNotFound, requireRef } from '../../message-ids.ts'
import { openMessage } from './open-message.ts'
import { renderMessage } from './render-message.ts'
import { renderHtmlWindow, renderWindow } from './render-window.ts'

/** Tokens of a result beside its body: fences, window fields, the arguments to continue with. */
const windowTokens = 400

export const read = defineAction({
  action: 'read',
  effect: 'read',
  scopes: [['read:email']],
  target: 'inbox',
  seconds: 25,
  input: z.strictObject({
    message_id: params.messageId,
    body_max_chars: params.bodyMaxChars,
    body_offset: params.bodyOffset,
    body_html_offset: params.bodyHtmlOffset,
    include_html: params.includeHtml,
    links: params.links,
  }),
  output: fullMessage.extend({ inbox_id: z.string(), untrusted_content: untrusted }),
  example: { message_id: 'm_...' },
  async run(input, context) {
    const inbox = onlyInbox(context)
    const ref = requireRef(input.message_id, context)
    const mail = await context.openMail(inbox)
    const [found] = await mail.getMessages([ref], context.call)
    if (found === undefined) throw messageNotFound(input.message_id)
    if (!found.isFound)
      throw found.fault.code === 'message_not_found' ? messageNotFound(input.message_id) : found.fault
    const opened = await openMessage(
      mail,
      found.value,
      {
        links: input.links,
        includeHtml: input.include_html,
        withBody: input.body_max_chars > 0,
        pool: context.deps.htmlPool?.of(context.principal.tenantId) ?? null,
      },
      context.call,
    )
    const head = {
      ...renderMessage(opened, inbox, context),
      inbox_id: inbox.inboxId,
      untrusted_content: true as const,
    }
    if (opened.body === null) return head
    const request = {
      offset: input.body_offset,
      maxChars: input.body_max_chars,
      htmlOffset: input.body_html_offset,
      maxTokens: (roomBeside(context, head) - windowTokens) / (input.include_html ? 2 : 1),
    }
    const window = renderWindow(opened.body, request, context.nonce)
    const maxChars = input.body_max_chars === params.defaultBodyChars ? null : input.body_max_chars
    return {
      ...head,
      ...window,
      ...continueBody(head.message_id, window, { links: input.links, maxChars }, context),
      ...(input.include_html ? renderHtmlWindow(opened.body, request, context.nonce) : {}),
    }
  },
})
