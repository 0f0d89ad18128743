import { Fault } from './fault.ts'

/** Milliseconds until `deadline`, never below zero. */
export function remainingMs(deadline: Date): number {
  return Math.max(0, deadline.getTime() - Date.now())
}

/**
 * Races `work` against a deadline and a signal, one that has fired already too.
 * The work itself is not stopped: whoever started it must release what it holds when it ends. How it ends once the
 * race is over concerns nobody.
 * @throws timeout when the deadline passes first, `signal.reason` when the signal fires first.
 */
export async function withDeadline<T>(work: Promise<T>, deadline: Date, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason as Error)
  const timer = setTimeout(() => reject(timeoutFault()), remainingMs(deadline))
  signal.addEventListener('abort', onAbort, { once: true })
  // Not thrown at once: nobody would hear of a failure of the work then, and that ends the process.
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([promise, work])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** The one wording of a deadline that has passed while the provider was awaited. */
export function timeoutFault(internal?: string): Fault {
  return new Fault('timeout', {
    public:
      'The mail server did not answer within the time of this call. Nothing was changed; repeating may help.',
    ...(internal === undefined ? {} : { internal }),
  })
}
