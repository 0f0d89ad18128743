import { setImmediate as turn } from 'node:timers/promises'

/** How long one piece of work may go on before others have a turn. */
const sliceMs = 10

/**
 * `items.map(act)` for work whose price is a stranger's to set: whenever some milliseconds have gone by, everything
 * else that waits in this process comes first. One `act` is never interrupted.
 */
export async function mapInTurns<T, R>(items: readonly T[], act: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  let startedAt = performance.now()
  for (const item of items) {
    if (performance.now() - startedAt > sliceMs) {
      await turn()
      startedAt = performance.now()
    }
    results.push(act(item))
  }
  return results
}
