import type { Log } from '@postern/core'

/**
 * Ends the process in order when it is told to end: the first SIGTERM or SIGINT lets calls finish, a second one does
 * not wait any longer. To be installed before anything is started, so that nothing started is left behind.
 * @param close what to do first; its failure is logged and ends the process with 1.
 * @returns ends the process in the same way for a reason of its own; does nothing when it is ending already.
 */
export function stopOnSignals(close: () => Promise<void>, log: Log): (exitCode: number) => void {
  let isStopping = false
  const stop = (exitCode: number): void => {
    if (isStopping) return
    isStopping = true
    close().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        log.error('stop_failed', { cause: String(error) })
        process.exit(1)
      },
    )
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      log.warn('stop_forced', { step: signal })
      process.exit(1)
    }
    log.info('stopping', { step: signal })
    stop(0)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return stop
}
