/**
 * Has `close` run before SIGINT or SIGTERM ends the process: a database started for one command must not
 * outlive it. A second signal does not wait.
 * @returns puts signals back to what they did before.
 */
export function closeOnSignal(close: () => Promise<void>): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    const exit = (): never => process.exit(signal === 'SIGINT' ? 130 : 143)
    close().then(exit, exit)
  }
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  return () => {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}
