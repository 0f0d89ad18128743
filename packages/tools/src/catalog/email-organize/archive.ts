import { Fault } from '@postern/core'
import * as z from 'zod'
import { organised } from '../../change-messages.ts'
import { defineWrite } from '../../define-tool.ts'
import * as params from '../../params.ts'
import { organiseInto } from './organise.ts'

export const archive = defineWrite({
  action: 'archive',
  effect: 'write',
  scopes: [['organize:email']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({
    message_id: params.messageId.optional(),
    message_ids: params.organisedIds.optional(),
  }),
  own: organised,
  example: { message_id: 'm_...' },
  async write({ message_id: one, message_ids: many }, context) {
    if ((one === undefined) === (many === undefined)) {
      throw new Fault(one === undefined ? 'missing_argument' : 'conflicting_arguments', {
        public: 'email_organize archive takes message_id or message_ids, one of the two. Nothing was done.',
        details: { argument: 'message_id' },
      })
    }
    return organiseInto(many ?? [one ?? ''], 'archive', context, {
      isReversible: true,
      verb: (mail, refs, to) => mail.moveMessages(refs, to, context.write),
    })
  },
})
