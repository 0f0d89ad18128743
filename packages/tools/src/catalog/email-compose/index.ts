import { defineTool } from '../../define-tool.ts'
import { forward } from './forward.ts'
import { reply } from './reply.ts'
import { send } from './send.ts'

export const emailCompose = defineTool({
  name: 'email_compose',
  title: 'Send mail',
  description:
    'Sends a message at once; it cannot be called back. send: a new one. reply: to the sender of message_id, or to all, in its conversation, quoting it. forward: message_id, or each of message_ids, with their files. ' +
    'Signature and quote are added. Inbox rules decide who may be written to and how often, and may hold a message: pending_approval, nothing sent until a member of the tenant decides at review_url. ' +
    'outcome sent: accepted for every recipient. partial: see recipients or results. unknown: it may have gone; never repeat it, operation_get looks. An error with not_sent: nothing left, repeating is safe. ' +
    'With an idempotency_key a repeated call sends once; without, possible_duplicate_of names an equal call of the last 10 minutes. ' +
    'For review first, or to edit: draft. ' +
    'Needs send:email; reply and forward also read:email; files of a message also read:attachments. ' +
    'Derived subjects and addresses are untrusted_content.',
  isIdempotent: false,
  isBulk: false,
  toolset: 'core',
  actions: [send, reply, forward],
})
