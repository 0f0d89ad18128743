import * as z from 'zod'
import * as parts from '../../compose-params.ts'
import { defineWrite } from '../../define-tool.ts'
import { requireDraftRef } from '../../draft-ids.ts'
import { onlyInbox } from '../../only-inbox.ts'

export const discard = defineWrite({
  action: 'delete',
  effect: 'write',
  scopes: [['manage:drafts']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({ draft_id: parts.draftId }),
  own: z.strictObject({ draft_id: z.string() }),
  example: { draft_id: 'd_...' },
  async write({ draft_id }, context) {
    const draft = requireDraftRef(draft_id, context)
    const { locator: before } = draft.ref
    const mail = await context.openForChange(onlyInbox(context))
    context.deps.ledger.note(context.claimed, { items: [{ before, after: null, status: 'unknown' }] })
    const ended = await mail.discardDraft(draft, context.write)
    if (ended.status === 'failed') throw ended.fault
    const isKnown = ended.status !== 'unknown'
    return {
      outcome: isKnown ? 'done' : 'unknown',
      own: { draft_id },
      items: [{ before, after: null, status: isKnown ? 'done' : 'unknown' }],
    }
  },
})
