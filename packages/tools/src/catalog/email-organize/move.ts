import * as z from 'zod'
import { defineWrite } from '../../define-tool.ts'
import * as params from '../../params.ts'
import { destinationOf } from './destination.ts'
import { organise, organised } from './organise.ts'

export const move = defineWrite({
  action: 'move',
  effect: 'write',
  scopes: [['organize:email']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({ message_id: params.messageId, destination_folder_id: params.destination }),
  own: organised,
  example: { message_id: 'm_...', destination_folder_id: 'Work' },
  async write(input, context) {
    let destination: string | null = null
    const written = await organise([input.message_id], context, async (mail, refs) => {
      const to = await destinationOf(input.destination_folder_id, mail, context)
      destination = to.folderId
      return mail.moveMessages(refs, to, context.write)
    })
    return {
      ...written,
      own: { ...(destination === null ? {} : { destination_folder_id: destination }), ...written.own },
    }
  },
})
