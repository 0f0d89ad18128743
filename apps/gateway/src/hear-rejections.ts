import { toFault, type Log } from '@postern/core'

/**
 * Keeps the process alive over a failure that nobody waits for, and says so in the log: it concerns one call, and
 * Node would end all of them with it. It is a bug each time.
 * @returns what stops it again.
 */
export function hearRejections(log: Log): () => void {
  const onRejection = (reason: unknown): void => {
    const { code, reference, message } = toFault(reason)
    log.error('rejection_unheard', { fault_code: code, reference, cause: message })
  }
  process.on('unhandledRejection', onRejection)
  return () => void process.off('unhandledRejection', onRejection)
}
