import { Fault } from '@postern/core'
import type { Call } from '@postern/mail'

/**
 * The value of `work`, or its Fault where that is one the caller can do something about. Everything else rises,
 * and so does the end of the call. It is the one place of the adapters where a failure becomes a value.
 */
export async function attempt<T>(
  work: () => Promise<T>,
  call: Call,
  isBearable: (fault: Fault) => boolean,
): Promise<T | Fault> {
  try {
    return await work()
  } catch (error) {
    call.signal.throwIfAborted()
    if (error instanceof Fault && isBearable(error)) return error
    throw error
  }
}
