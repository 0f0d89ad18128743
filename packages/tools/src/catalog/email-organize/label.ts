import { Fault } from '@postern/core'
import * as z from 'zod'
import { organised } from '../../change-messages.ts'
import { defineWrite } from '../../define-tool.ts'
import * as params from '../../params.ts'
import { organise } from './organise.ts'

const names = (description: string): z.ZodOptional<z.ZodArray<z.ZodString>> =>
  z.array(z.string().min(1).max(100)).min(1).max(20).describe(description).optional()

export const label = defineWrite({
  action: 'label',
  effect: 'write',
  scopes: [['organize:email']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({
    message_ids: params.organisedIds,
    add_labels: names('Labels to add. Over IMAP a label is one word of letters, digits and $ _ . : + -.'),
    remove_labels: names('Labels to take off; forms as in add_labels.'),
  }),
  own: organised,
  example: { message_ids: ['m_...', 'm_...'], add_labels: ['Later'] },
  async write({ message_ids: ids, add_labels: add = [], remove_labels: remove = [] }, context) {
    if (add.length + remove.length === 0) {
      throw new Fault('missing_argument', {
        public: 'email_organize label needs add_labels, remove_labels or both. Nothing was done.',
        details: { action: 'label', argument: 'add_labels' },
      })
    }
    const marks = { kind: 'labels', add, remove } as const
    return organise(ids, context, {
      isReversible: true,
      marks,
      verb: (mail, refs) => mail.setMarks(refs, marks, context.write),
    })
  },
})
