import { parseRecipients, requireSubject, sign } from '@postern/outbox'
import * as z from 'zod'
import * as parts from '../../compose-params.ts'
import { draftOnce, draftOwn } from '../../compose/draft-output.ts'
import { keepDraft } from '../../compose/keep-draft.ts'
import { gatherOwnParts } from '../../compose/own-parts.ts'
import { defineWrite } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'

export const create = defineWrite({
  action: 'create',
  effect: 'write',
  scopes: [['manage:drafts']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({
    subject: parts.subject,
    body: parts.body,
    html_body: parts.htmlBody,
    to: parts.to.default([]),
    cc: parts.cc.default([]),
    bcc: parts.bcc.default([]),
    from: parts.from,
    attachments: parts.attachments.default([]),
    include_signature: parts.includeSignature,
  }),
  own: draftOwn,
  once: draftOnce,
  example: { subject: 'Lunch', body: 'At noon?' },
  async write(input, context) {
    const recipients = parseRecipients(input)
    const subject = requireSubject(input.subject)
    if (input.attachments.length > 0) await context.write.enter('source')
    const mail = await context.openForChange(onlyInbox(context))
    const openMail = () => Promise.resolve(mail)
    const { own, from, signature, files } = await gatherOwnParts(input, null, openMail, context)
    const letter = {
      ...sign(own, signature),
      ...recipients,
      from,
      replyTo: null,
      subject,
      inReplyTo: null,
      references: [],
      files,
    }
    return keepDraft(letter, null, mail, context)
  },
})
