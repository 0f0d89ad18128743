import { type Fault, remainingMs, toFault } from '@postern/core'
import type { Call } from '@postern/mail'

/** How one of several pieces of work ended; the others go on. */
export type Settled<T> =
  | { readonly value: T; readonly fault: null }
  | { readonly value: null; readonly fault: Fault }

/**
 * For work whose failure is an item of the answer and not its end: one inbox of a search, one message of a batch.
 * What the item's code does not say goes to the log.
 * @throws `signal.reason`: the end of the call is nobody's failure.
 */
export async function settle<T>(work: () => Promise<T>, { signal, log }: Call): Promise<Settled<T>> {
  try {
    return { value: await work(), fault: null }
  } catch (error) {
    signal.throwIfAborted()
    const fault = toFault(error)
    const { code, internal, reference, whose } = fault
    if (internal !== null) {
      log[whose === 'postern' ? 'error' : 'info']('tool.item_failed', {
        fault_code: code,
        reference,
        cause: internal,
      })
    }
    return { value: null, fault }
  }
}

/** The time of one of several pieces of work: a little less than the call's, so that one that stalls loses only itself. */
export function itemCall(call: Call): Call {
  const reserveMs = Math.min(2_000, remainingMs(call.deadline) / 10)
  return { ...call, deadline: new Date(call.deadline.getTime() - reserveMs) }
}
