import { Fault } from '@postern/core'
import { parseRecipients } from '@postern/outbox'
import * as z from 'zod'
import * as parts from '../../compose-params.ts'
import { gatherOwnParts } from '../../compose/own-parts.ts'
import { sendOnce, sendOwn } from '../../compose/send-output.ts'
import { defineWrite, type WriteContext } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import * as params from '../../params.ts'
import { forwardOne, type ForwardPlan } from './forward-one.ts'
import { forwardSeveral, severalOwn } from './forward-several.ts'

const input = z.strictObject({
  to: parts.to.min(1),
  cc: parts.cc.default([]),
  bcc: parts.bcc.default([]),
  body: parts.body.optional(),
  html_body: parts.htmlBody,
  message_id: params.messageId.optional(),
  message_ids: parts.forwardedIds.optional(),
  from: parts.from,
  attachments: parts.attachments.default([]),
  include_attachments: z
    .boolean()
    .describe("false leaves out the original's files; pictures in its text stay.")
    .default(true),
  as_attachment: z
    .boolean()
    .describe('true sends the original as a file, octet for octet, instead of its text.')
    .default(false),
  include_signature: parts.includeSignature,
})

export const forward = defineWrite({
  action: 'forward',
  effect: 'send',
  scopes: [['send:email'], ['read:email']],
  target: 'inbox',
  seconds: 55,
  input,
  own: sendOwn.extend(severalOwn),
  once: sendOnce,
  example: { message_id: 'm_...', to: ['amy@example.com'] },
  async write(args, context) {
    const ids = idsOf(args)
    const plan = await planOf(args, context)
    const mail = await context.openForChange(onlyInbox(context))
    const one = (id: string, own: WriteContext) => forwardOne(id, plan, mail, own)
    const [first, ...others] = ids
    if (first !== undefined && others.length === 0) return one(first, context)
    const { message_id: _, message_ids: __, ...shared } = args
    return forwardSeveral({ ids, args: shared, one }, context)
  },
})

type Args = z.output<typeof input>

/** @throws missing_argument, conflicting_arguments. */
function idsOf({ message_id: one, message_ids: many, body, html_body: html }: Args): readonly string[] {
  if ((one === undefined) === (many === undefined)) {
    throw new Fault(one === undefined ? 'missing_argument' : 'conflicting_arguments', {
      public: 'email_compose forward takes message_id or message_ids, one of the two. Nothing was sent.',
      details: { argument: 'message_id' },
    })
  }
  if (html !== undefined && body === undefined) {
    throw new Fault('missing_argument', {
      public: 'html_body needs the same text as body beside it, for readers of plain text. Nothing was sent.',
      details: { argument: 'body' },
    })
  }
  return many ?? [one ?? '']
}

/** The owner's part is the same in every message of the call. */
async function planOf(args: Args, context: WriteContext): Promise<ForwardPlan> {
  const recipients = parseRecipients(args)
  if (args.attachments.length > 0) await context.write.enter('source')
  const openMail = () => context.openForChange(onlyInbox(context))
  const own = await gatherOwnParts(args, null, openMail, context)
  const { timezone } = onlyInbox(context)
  return {
    init: { ...own, recipients, replyTo: null, timezone },
    isAttached: args.as_attachment,
    includesFiles: args.include_attachments,
  }
}
