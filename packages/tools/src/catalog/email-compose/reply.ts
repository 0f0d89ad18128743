import { nameNativeThread } from '@postern/mail'
import * as z from 'zod'
import * as parts from '../../compose-params.ts'
import { makeMessage } from '../../compose/make-message.ts'
import { participantsOf } from '../../compose/read-original.ts'
import { sendOnce, sendOwn } from '../../compose/send-output.ts'
import { submitMessage } from '../../compose/submit-message.ts'
import { writeAnswer } from '../../compose/write-answer.ts'
import { defineWrite } from '../../define-tool.ts'
import * as params from '../../params.ts'

export const reply = defineWrite({
  action: 'reply',
  effect: 'send',
  scopes: [['send:email'], ['read:email']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({
    message_id: params.messageId,
    body: parts.body,
    html_body: parts.htmlBody,
    reply_all: parts.replyAll,
    cc: parts.cc.default([]),
    bcc: parts.bcc.default([]),
    subject: parts.subject.optional(),
    from: parts.from,
    attachments: parts.attachments.default([]),
    include_signature: parts.includeSignature,
  }),
  own: sendOwn,
  once: sendOnce,
  example: { message_id: 'm_...', body: 'Yes, gladly.' },
  async write(input, context) {
    const { letter, mail, ref, opened } = await writeAnswer(input, context)
    if (input.subject !== undefined)
      context.note('A subject of its own may make an answer stand outside of its conversation.')
    return submitMessage(
      {
        message: await makeMessage(letter, context),
        recipients: letter,
        from: letter.from,
        subject: letter.subject,
        isDerived: true,
        threadId: nameNativeThread(opened.message.nativeThreadId),
        draft: null,
        participants: participantsOf(ref, mail, context),
      },
      context,
    )
  },
})
