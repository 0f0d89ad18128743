import * as z from 'zod'
import { organised } from '../../change-messages.ts'
import { defineWrite } from '../../define-tool.ts'
import * as params from '../../params.ts'
import { organise } from '../email-organize/organise.ts'
import { markOf, throwAway } from './throw-away.ts'

export const deleteBatch = defineWrite({
  action: 'delete_batch',
  effect: 'destroy',
  scopes: [['delete:email']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({ message_ids: params.organisedIds, permanent: params.permanent }),
  own: organised.extend({ permanent: z.literal(true).optional() }),
  example: { message_ids: ['m_...', 'm_...'] },
  async write(input, context) {
    const written = await organise(input.message_ids, context, throwAway(input.permanent, context))
    return { ...written, own: { ...markOf(input.permanent), ...written.own } }
  },
})
