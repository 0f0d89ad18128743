import { Fault, quote } from '@postern/core'
import { cutGraphemes, openMessageId, type MessageRef } from '@postern/mail'
import type { ActionContext } from './define-tool.ts'
import { onlyInbox } from './only-inbox.ts'

/** Inboxes of the key that are tried for an id of another one; each costs a hash. */
const maxTried = 1_000

/**
 * The message an id of this call's inbox stands for.
 * @throws inbox_mismatch naming the inbox of this key that the id belongs to; else message_not_found, in the same
 *   words for a mistyped, a forged and a foreign id.
 */
export function requireRef(messageId: string, context: ActionContext): MessageRef {
  const { messageIdSigner } = context.deps
  const ref = openMessageId(messageIdSigner, onlyInbox(context).inboxId, messageId)
  if (ref !== null) return ref
  const home = context.reachable
    .slice(0, maxTried)
    .find(({ inboxId }) => openMessageId(messageIdSigner, inboxId, messageId) !== null)
  if (home === undefined) throw messageNotFound(messageId)
  throw new Fault('inbox_mismatch', {
    public: `That message_id belongs to another inbox of this key, inbox_id ${home.inboxId}. Nothing was done.`,
    details: { argument: 'message_id', inbox_id: home.inboxId },
  })
}

/** One wording, whatever the reason that an id leads nowhere. */
export function messageNotFound(messageId: string): Fault {
  return new Fault('message_not_found', {
    public: `No message answers to ${quote(messageId)}: it was deleted, or the id is not one of this inbox. email_read list and search give current ids. Nothing was changed.`,
    details: { message_id: shownId(messageId) },
  })
}

/** An id as the caller passed it; ours are shorter than what is left of a longer text. */
export function shownId(messageId: string): string {
  return cutGraphemes(messageId, 60)
}
