import { defineTool } from '../../define-tool.ts'
import { forward } from './forward.ts'
import { reply } from './reply.ts'
import { send } from './send.ts'

export const emailCompose = defineTool({
  name: 'email_compose',
  title: 'Send mail',
  description:
    'Sends a message at once; it cannot be called back. reply: to the sender of message_id, or to all, in its conversation, quoting it. forward: message_id, or each of message_ids, with their files. ' +
    'Signature and quote are added. Inbox rules decide who may be written to and how often, and may hold a message. ' +
    'sent: accepted for every recipient. An error with not_sent: nothing left, repeating is safe. ' +
    'Without idempotency_key, possible_duplicate_of names an equal call of the last 10 minutes. ' +
    'For review first, or to edit: draft. ' +
    'reply and forward also need read:email; files of a message read:attachments.',
  isIdempotent: false,
  isBulk: false,
  toolset: 'core',
  actions: [send, reply, forward],
})
