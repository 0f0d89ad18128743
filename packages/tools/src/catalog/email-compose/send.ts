import { parseMailbox, parseRecipients, requireSubject, sign } from '@postern/outbox'
import * as z from 'zod'
import * as parts from '../../compose-params.ts'
import { gatherOwnParts } from '../../compose/own-parts.ts'
import { makeMessage } from '../../compose/make-message.ts'
import { sendOnce, sendOwn } from '../../compose/send-output.ts'
import { submitMessage } from '../../compose/submit-message.ts'
import { defineWrite } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'

export const send = defineWrite({
  action: 'send',
  effect: 'send',
  scopes: [['send:email']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({
    to: parts.to.min(1),
    cc: parts.cc.default([]),
    bcc: parts.bcc.default([]),
    subject: parts.subject,
    body: parts.body,
    html_body: parts.htmlBody,
    from: parts.from,
    reply_to: parts.replyTo,
    attachments: parts.attachments.default([]),
    include_signature: parts.includeSignature,
  }),
  own: sendOwn,
  once: sendOnce,
  example: { to: ['amy@example.com'], subject: 'Lunch', body: 'At noon?' },
  async write(input, context) {
    const recipients = parseRecipients(input)
    const subject = requireSubject(input.subject)
    const replyTo = input.reply_to === undefined ? null : parseMailbox(input.reply_to, 'reply_to')
    if (input.attachments.length > 0) await context.write.enter('source')
    const openMail = () => context.openForChange(onlyInbox(context))
    const { own, from, signature, files } = await gatherOwnParts(input, null, openMail, context)
    const letter = {
      ...sign(own, signature),
      ...recipients,
      from,
      replyTo,
      subject,
      inReplyTo: null,
      references: [],
      files,
    }
    return submitMessage(
      {
        message: await makeMessage(letter, context),
        recipients,
        from,
        subject,
        isDerived: false,
        threadId: null,
        draft: null,
        participants: () => Promise.resolve([]),
      },
      context,
    )
  },
})
