import { Fault, quote } from '@postern/core'
import { openThreadId, type ThreadRef } from '@postern/mail'
import type { ActionContext } from '../../define-tool.ts'
import { messageNotFound, requireRef, shownId } from '../../message-ids.ts'
import { onlyInbox } from '../../only-inbox.ts'

interface ThreadArgs {
  readonly message_id?: string | undefined
  readonly thread_id?: string | undefined
}

/** A conversation as the caller named it, and what to say when it is not there. */
export interface AskedThread {
  readonly ref: ThreadRef
  readonly notFound: () => Fault
}

/**
 * The conversation that one of the two ids stands for.
 * @throws missing_argument, conflicting_arguments, inbox_mismatch, message_not_found.
 */
export function requireThread(
  { message_id: messageId, thread_id: threadId }: ThreadArgs,
  context: ActionContext,
): AskedThread {
  if (messageId !== undefined && threadId !== undefined) {
    throw new Fault('conflicting_arguments', {
      public:
        'message_id and thread_id both say which conversation. One of them is enough. Nothing was done.',
      details: { argument: 'thread_id' },
    })
  }
  // Every m_ id is an id of a message, wherever it is given.
  const asMessage = messageId ?? (threadId?.startsWith('m_') === true ? threadId : undefined)
  if (asMessage !== undefined) {
    if (messageId === undefined) context.note('thread_id was read as message_id.')
    return { ref: requireRef(asMessage, context), notFound: () => messageNotFound(asMessage) }
  }
  if (threadId !== undefined) {
    return { ref: openThread(threadId, context), notFound: () => threadNotFound(threadId) }
  }
  throw new Fault('missing_argument', {
    public:
      'thread needs message_id (any message of the conversation) or thread_id. Rows of list and search give them. Nothing was done.',
    details: { argument: 'message_id' },
  })
}

function openThread(threadId: string, context: ActionContext): ThreadRef {
  const { messageIdSigner } = context.deps
  const ref = openThreadId(messageIdSigner, onlyInbox(context).inboxId, threadId)
  if (ref === null) throw threadNotFound(threadId)
  if ('locator' in ref) return ref
  // What is no sealed id here may be one of another inbox of this key.
  const home = context.reachable
    .slice(0, maxTried)
    .find(({ inboxId }) => 'locator' in (openThreadId(messageIdSigner, inboxId, threadId) ?? {}))
  if (home === undefined) return ref
  throw new Fault('inbox_mismatch', {
    public: `That thread_id belongs to another inbox of this key, inbox_id ${home.inboxId}. Nothing was read.`,
    details: { argument: 'thread_id', inbox_id: home.inboxId },
  })
}

/** Inboxes of the key that are tried for an id of another one; each costs a hash. */
const maxTried = 1_000

function threadNotFound(threadId: string): Fault {
  return new Fault('message_not_found', {
    public: `No conversation answers to ${quote(threadId)}: its first message was deleted, or the id is not one of this inbox. The message_id of any of its messages finds it too. Nothing was changed.`,
    details: { thread_id: shownId(threadId) },
  })
}
