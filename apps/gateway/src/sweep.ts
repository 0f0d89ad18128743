import { toFault, type Log } from '@postern/core'

/** One round of work that nobody waits for: does what is due, within bounds, and says whether there may be more. */
export type Round = () => Promise<boolean>

export interface Sweep {
  start(): void
  /** Begins no further round, and waits for the one under way. */
  close(): Promise<void>
}

export interface SweepOptions {
  /** For the log. */
  readonly name: string
  readonly round: Round
  /** Between two rounds, where there is nothing to do. */
  readonly pauseMs: number
  readonly log: Log
}

/** After a round that failed, at least: a database that is away is not asked all the time. */
const restMs = 15_000

/** Rounds one after the other. It holds no process open. */
export function createSweep({ name, round, pauseMs, log }: SweepOptions): Sweep {
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  let isClosed = false

  const wait = (ms: number): void => {
    if (!isClosed) timer = setTimeout(go, ms).unref()
  }
  const go = (): void => {
    running = round().then(
      (mayBeMore) => wait(mayBeMore ? 0 : pauseMs),
      (error: unknown) => {
        const { code, internal, reference } = toFault(error)
        log.error('sweep.failed', { operation: name, fault_code: code, reference, cause: internal ?? '' })
        wait(Math.max(restMs, pauseMs))
      },
    )
  }
  return {
    start: () => {
      if (timer === null) wait(0)
    },
    async close() {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      await running
    },
  }
}
