import * as z from 'zod'
import * as parts from '../../compose-params.ts'
import { draftOnce, draftOwn } from '../../compose/draft-output.ts'
import { keepDraft } from '../../compose/keep-draft.ts'
import { writeAnswer } from '../../compose/write-answer.ts'
import { defineWrite } from '../../define-tool.ts'
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
    const { letter, mail } = await writeAnswer({ ...input, cc: [], bcc: [] }, context)
    return keepDraft(letter, null, mail, context)
  },
})
