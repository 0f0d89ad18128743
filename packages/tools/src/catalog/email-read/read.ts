import * as z from 'zod'
import { defineAction } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { untrusted } from '../../outputs.ts'
import * as params from '../../params.ts'
import { maxResultTokens } from '../../render.ts'
import { messageNotFound, requireRef } from './message-ids.ts'
import { openMessage } from './open-message.ts'
import { fullMessage, renderHtmlWindow, renderMessage, renderWindow } from './render-message.ts'

/** Tokens left for headers, attachments and the rest of a result beside the body. */
const headTokens = 5_000

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
    const withBody = input.body_max_chars > 0
    const opened = await openMessage(
      mail,
      found.value,
      { links: input.links, includeHtml: input.include_html, withBody, pool: context.deps.htmlPool },
      context.call,
    )
    const rendered = renderMessage(opened, inbox, context)
    const request = {
      offset: input.body_offset,
      maxChars: input.body_max_chars,
      htmlOffset: input.body_html_offset,
      maxTokens: Math.floor((maxResultTokens - headTokens) / (input.include_html ? 2 : 1)),
    }
    const window = opened.body === null ? {} : renderWindow(opened.body, request, context.nonce)
    const markup =
      opened.body === null || !input.include_html ? {} : renderHtmlWindow(opened.body, request, context.nonce)
    const next = window.body_next_offset
    return {
      ...rendered,
      ...window,
      ...(next === undefined || next === null
        ? {}
        : {
            body_continue: {
              action: 'read',
              message_id: rendered.message_id,
              inbox_id: inbox.inboxId,
              body_offset: next,
              body_max_chars: input.body_max_chars,
              links: input.links,
            },
          }),
      ...markup,
      inbox_id: inbox.inboxId,
      untrusted_content: true as const,
    }
  },
})
