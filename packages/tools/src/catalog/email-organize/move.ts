import * as z from 'zod'
import { organised } from '../../change-messages.ts'
import { defineWrite } from '../../define-tool.ts'
import * as params from '../../params.ts'
import { organiseInto } from './organise.ts'

export const move = defineWrite({
  action: 'move',
  effect: 'write',
  scopes: [['organize:email']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({ message_id: params.messageId, destination_folder_id: params.destination }),
  own: organised,
  example: { message_id: 'm_...', destination_folder_id: 'Work' },
  write: (input, context) =>
    organiseInto([input.message_id], input.destination_folder_id, context, {
      isReversible: true,
      verb: (mail, refs, to) => mail.moveMessages(refs, to, context.write),
    }),
})
