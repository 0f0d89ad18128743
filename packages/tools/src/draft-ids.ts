import { Fault, quote } from '@postern/core'
import { openDraftId, type DraftRef } from '@postern/mail'
import type { ActionContext } from './define-tool.ts'
import { shownId } from './message-ids.ts'
import { onlyInbox } from './only-inbox.ts'

/** Inboxes of the key that are tried for an id of another one; each costs a hash. */
const maxTried = 1_000

/**
 * The draft an id of this call's inbox stands for.
 * @throws inbox_mismatch naming the inbox of this key that the id belongs to; else draft_not_found, in the same words
 * for a mistyped, a forged and a foreign id.
 */
export function requireDraftRef(draftId: string, context: ActionContext): DraftRef {
  const { messageIdSigner } = context.deps
  const draft = openDraftId(messageIdSigner, onlyInbox(context).inboxId, draftId)
  if (draft !== null) return draft
  const home = context.reachable
    .slice(0, maxTried)
    .find(({ inboxId }) => openDraftId(messageIdSigner, inboxId, draftId) !== null)
  if (home === undefined) {
    throw new Fault('draft_not_found', {
      public: `No draft answers to ${quote(draftId)}: the id is not one of a draft of this inbox. draft_list gives current ids. Nothing was done.`,
      details: { draft_id: shownId(draftId) },
    })
  }
  throw new Fault('inbox_mismatch', {
    public: `That draft_id belongs to another inbox of this key, inbox_id ${home.inboxId}. Nothing was done.`,
    details: { argument: 'draft_id', inbox_id: home.inboxId },
  })
}

/** An id of ours whose draft is not where it was. */
export function draftStale(draftId: string): Fault {
  return new Fault('draft_stale', {
    public:
      'This draft was changed, sent or discarded since its draft_id was given. draft_list has the current ones. Nothing was changed.',
    details: { draft_id: shownId(draftId) },
  })
}
