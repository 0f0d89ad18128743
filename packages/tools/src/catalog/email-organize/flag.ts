import type { MarkChange } from '@postern/mail'
import * as z from 'zod'
import { organised } from '../../change-messages.ts'
import { defineWrite } from '../../define-tool.ts'
import * as params from '../../params.ts'
import { organise } from './organise.ts'

const changes = {
  read: { kind: 'flag', flag: 'seen', isOn: true },
  unread: { kind: 'flag', flag: 'seen', isOn: false },
  flag: { kind: 'flag', flag: 'flagged', isOn: true },
  unflag: { kind: 'flag', flag: 'flagged', isOn: false },
} as const satisfies Record<string, MarkChange>

export const flag = defineWrite({
  action: 'flag',
  effect: 'write',
  scopes: [['organize:email']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({
    message_ids: params.organisedIds,
    flag_action: z
      .enum(['read', 'unread', 'flag', 'unflag'])
      .describe('Marks the messages as read or unread, or sets or clears their flag (star).'),
  }),
  own: organised,
  example: { message_ids: ['m_...', 'm_...'], flag_action: 'read' },
  write: (input, context) =>
    organise(input.message_ids, context, {
      isReversible: true,
      marks: changes[input.flag_action],
      verb: (mail, refs) => mail.setMarks(refs, changes[input.flag_action], context.write),
    }),
})
