import type { Fault } from '@postern/core'
import type { MessageRef } from './message.ts'

/**
 * What became of one message of a write. `done` is proven, not hoped: the server said so in a way that counts, or
 * the message was looked at afterwards. `failed` left it as it was; of `unknown` nobody can say.
 */
export type ItemOutcome =
  | {
      readonly ref: MessageRef
      readonly status: 'done'
      /** How the message, or its copy, is found now; null where it is gone or was not told apart. */
      readonly newRef: MessageRef | null
    }
  /** It was so already; nothing was changed. */
  | { readonly ref: MessageRef; readonly status: 'unchanged' }
  | { readonly ref: MessageRef; readonly status: 'failed' | 'unknown'; readonly fault: Fault }
