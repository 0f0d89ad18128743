import { reply as answer } from '@postern/outbox'
import * as z from 'zod'
import * as parts from '../../compose-params.ts'
import { answerInit, tellSkipped } from '../../compose/answer-init.ts'
import { draftOnce, draftOwn } from '../../compose/draft-output.ts'
import { keepDraft } from '../../compose/keep-draft.ts'
import { gatherOwnParts } from '../../compose/own-parts.ts'
import { readOriginal } from '../../compose/read-original.ts'
import { defineWrite } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import * as params from '../../params.ts'

export const reply = defineWrite({
  action: 'reply',
  effect: 'write',
  scopes: [['manage:drafts'], ['read:email']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({
    message_id: params.messageId,
    body: parts.body,
    html_body: parts.htmlBody,
    reply_all: parts.replyAll,
    from: parts.from,
    attachments: parts.attachments.default([]),
    include_signature: parts.includeSignature,
  }),
  own: draftOwn,
  once: draftOnce,
  example: { message_id: 'm_...', body: 'Yes, gladly.' },
  async write(input, context) {
    const init = answerInit({ ...input, cc: [], bcc: [] }, context)
    await context.write.enter('source')
    const mail = await context.openForChange(onlyInbox(context))
    const { original } = await readOriginal(
      input.message_id,
      { withBody: true, includeHtml: input.html_body !== undefined, keepsPictures: false },
      mail,
      context,
    )
    const own = await gatherOwnParts(input, original, () => Promise.resolve(mail), context)
    const { letter, skipped } = answer(original, { ...init, ...own })
    tellSkipped(skipped, context)
    return keepDraft(letter, null, mail, context)
  },
})
