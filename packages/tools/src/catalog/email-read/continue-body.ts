import type { LinksMode } from '@postern/mail'
import type { ActionContext } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import type { FullMessage } from './render-message.ts'

interface Shown {
  readonly links: LinksMode
  /** Null: whatever `read` gives by itself. */
  readonly maxChars: number | null
}

/** The literal arguments of the call that goes on where a body was cut; nothing when it was not. */
export function continueBody(
  messageId: string,
  { body_next_offset: next }: Pick<FullMessage, 'body_next_offset'>,
  { links, maxChars }: Shown,
  context: ActionContext,
): Pick<FullMessage, 'body_continue'> {
  if (next === undefined || next === null) return {}
  return {
    body_continue: {
      action: 'read',
      message_id: messageId,
      body_offset: next,
      ...(maxChars === null ? {} : { body_max_chars: maxChars }),
      ...(links === 'hosts' ? {} : { links }),
      ...(context.reachable.length > 1 ? { inbox_id: onlyInbox(context).inboxId } : {}),
    },
  }
}
