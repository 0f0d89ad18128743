import type { WriteStage } from '@postern/core'
import type { WriteCall } from '@postern/mail'
import { enterAfterwards } from '../enter-afterwards.ts'

/** What is left to do when a message was sent gets so much time at least, however long the sending took. */
const leastMs = 4_000

/**
 * A call for what follows a message that was sent. Nobody who leaves stops it, and each of its steps is written down
 * as `stage`, whatever the commands of a mailbox call it.
 */
export function afterSending(call: WriteCall, stage: WriteStage): WriteCall {
  return {
    ...call,
    signal: new AbortController().signal,
    deadline: new Date(Math.max(call.deadline.getTime(), Date.now() + leastMs)),
    enter: () => enterAfterwards(call, stage),
  }
}
