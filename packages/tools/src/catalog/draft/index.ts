import { defineTool } from '../../define-tool.ts'
import { create } from './create.ts'
import { discard } from './delete.ts'
import { reply } from './reply.ts'
import { send } from './send.ts'
import { update } from './update.ts'

export const draft = defineTool({
  name: 'draft',
  title: 'Manage drafts',
  description:
    'Writes, changes, sends and discards unsent mail in the Drafts folder. create: recipients may follow later. reply: an answer to message_id with its recipients, subject, conversation and quote; update changes those. ' +
    'update: body replaces the own text; what is left out stays, [] clears; thread, quote and signature are kept. send: the stored draft as it is; to, cc, bcc only where it has none. ' +
    'Over IMAP each update makes a new draft_id, in the answer and in draft_list; an old one is draft_stale. ' +
    'The signature is written in when the draft is; send adds nothing. ' +
    'reply also needs read:email; send needs send:email. ' +
    'draft_list reads them; email_compose sends at once.',
  isIdempotent: false,
  isBulk: false,
  toolset: 'core',
  actions: [create, reply, update, send, discard],
  // What a provider's drafts bring along is nothing that a client should refuse a result for.
  publishes: ['inbox_id', 'notes', 'untrusted_content'],
})
