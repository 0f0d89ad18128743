import { Fault, toFault } from '@postern/core'

const ofTheProvider: ReadonlySet<string> = new Set([
  'provider_unavailable',
  'provider_error',
  'provider_rate_limited',
  'timeout',
])

/**
 * Work that fetches what a message is made of: the original, a file, the stored draft. Its failure says that nothing
 * has left yet, and that the call may be repeated.
 * @throws source_unavailable for what the mail server failed at, everything else as it is.
 */
export async function fetchSource<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = toFault(error)
    if (!ofTheProvider.has(fault.code)) throw fault
    throw new Fault('source_unavailable', {
      public: `${what} could not be fetched from the mail server. Nothing was sent or stored; repeating the call is safe.`,
      details: { reason: fault.code },
      ...(fault.internal === null ? {} : { internal: fault.internal }),
      ...(fault.retryAfterSeconds === null ? {} : { retryAfterSeconds: fault.retryAfterSeconds }),
      cause: fault,
    })
  }
}
