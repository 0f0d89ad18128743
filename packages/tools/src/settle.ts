import { type Fault, toFault } from '@postern/core'

/** How one of several pieces of work ended; the others go on. */
export type Settled<T> =
  | { readonly value: T; readonly fault: null }
  | { readonly value: null; readonly fault: Fault }

/** For work whose failure is an item of the answer and not its end: one inbox of a search, one message of a batch. */
export async function settle<T>(work: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await work(), fault: null }
  } catch (error) {
    return { value: null, fault: toFault(error) }
  }
}
