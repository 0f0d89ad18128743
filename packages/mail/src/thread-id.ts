import type { Signer } from '@postern/core'
import { openMessageId, sealMessageId } from './message-id.ts'
import type { Thread, ThreadRef } from './thread.ts'

// RFC 8474 4: an objectid is 1 to 255 of these characters; Gmail's are digits.
const nativeId = /^[A-Za-z0-9_-]{1,255}$/

/** `t_` and the provider's own id of a conversation, or null where it has none. */
export function nameNativeThread(nativeThreadId: string | null): string | null {
  return nativeThreadId !== null && nativeId.test(nativeThreadId) ? `t_${nativeThreadId}` : null
}

/**
 * The id of a conversation: the provider's own, else that of its oldest message, sealed for this inbox. The second
 * stays the same whichever message was asked for, as long as the oldest one is there.
 */
export function nameThread(signer: Signer, inboxId: string, thread: Thread): string {
  const native = nameNativeThread(thread.nativeThreadId)
  if (native !== null) return native
  const [oldest] = thread.messages
  if (oldest === undefined) throw new TypeError('a thread without messages')
  return sealMessageId(signer, inboxId, oldest.ref).replace(/^m_/, 't_')
}

/**
 * The conversation behind an id of this inbox, or null for what is no id at all. A provider's own id bears no seal,
 * since it reaches nothing but the mailbox it is put to.
 */
export function openThreadId(signer: Signer, inboxId: string, threadId: string): ThreadRef | null {
  const id = /^t_([^]{1,255})$/.exec(threadId)?.[1]
  if (id === undefined) return null
  return openMessageId(signer, inboxId, `m_${id}`) ?? (nativeId.test(id) ? { nativeThreadId: id } : null)
}
