import { toFault, type WriteStage } from '@postern/core'
import type { WriteCall } from '@postern/mail'

/**
 * Enters a step that follows what can not be undone, a message that was sent. Whatever forbids it is a Fault, so that
 * `attempt` can make a value of it: the message was sent all the same.
 */
export async function enterAfterwards(call: WriteCall, stage: WriteStage): Promise<void> {
  try {
    await call.enter(stage)
  } catch (error) {
    throw toFault(error)
  }
}
