import { remainingMs, type Fault } from '@postern/core'
import type { ArrivalPage, FolderMark, ReadMail, SearchQuery } from '@postern/mail'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ActionContext } from '../../define-tool.ts'
import { settle } from '../../settle.ts'

/** How often a client that wants to hear of progress does. */
const progressMs = 5_000
/** Rest after a look that failed for a reason that may pass. */
const retryMs = 1_000

/** What to look for, where from, and until when. */
export interface Watch {
  readonly mail: ReadMail
  readonly query: SearchQuery
  readonly since: Date
  readonly marks: readonly FolderMark[]
  readonly limit: number
  readonly until: Date
}

/**
 * The first arrivals, or what the last look saw, when the time was up. A page without arrivals is always of a look
 * that was made at the end: that nothing came is never a guess.
 * @throws provider_*, folder_*, timeout, `signal.reason`.
 */
export async function watchForMail(watch: Watch, context: ActionContext): Promise<ArrivalPage> {
  const looker = new Looker(watch, context)
  const stopTelling = tellProgress(watch.until, context)
  try {
    const first = await looker.look()
    if (first !== null) return first
    if (remainingMs(watch.until) === 0) return looker.last()
    const { folderIds } = watch.query
    const call = { ...context.call, deadline: watch.until }
    const found = await watch.mail.waitForChange(folderIds, () => looker.look(), call)
    return found ?? (await looker.look()) ?? looker.last()
  } finally {
    stopTelling()
  }
}

/** Looks again and again, each time behind what it has seen. */
class Looker {
  readonly #watch: Watch
  readonly #context: ActionContext
  #marks: readonly FolderMark[]
  #last: ArrivalPage | null = null

  constructor(watch: Watch, context: ActionContext) {
    this.#watch = watch
    this.#context = context
    this.#marks = watch.marks
  }

  /** Arrivals, or null. A failure that may pass is met once more until the time of the wait is up. */
  async look(): Promise<ArrivalPage | null> {
    const { call } = this.#context
    for (;;) {
      const { value: page, fault } = await settle(() => this.#ask(), call)
      if (fault !== null) {
        if (!mayPass(fault) || remainingMs(this.#watch.until) < retryMs) throw fault
        await sleep(retryMs, undefined, { signal: call.signal })
        continue
      }
      this.#last = page
      this.#marks = page.marks
      if (page.arrivals.length > 0) return page
      // Checks ran out on the way: what is behind them has not been looked at.
      if (!page.hasMore) return null
    }
  }

  last(): ArrivalPage {
    if (this.#last === null) throw new TypeError('nobody has looked')
    return this.#last
  }

  #ask(): Promise<ArrivalPage> {
    const { mail, query, since, limit } = this.#watch
    return mail.listArrivals({ query, since, marks: this.#marks, limit }, this.#context.call)
  }
}

function mayPass({ code }: Fault): boolean {
  return code === 'provider_unavailable' || code === 'timeout'
}

function tellProgress(until: Date, { progress }: ActionContext): () => void {
  if (progress === null) return () => undefined
  const startedMs = Date.now()
  const seconds = (ms: number): number => Math.round(ms / 1_000)
  const total = seconds(remainingMs(until))
  const timer = setInterval(() => progress(seconds(Date.now() - startedMs), total), progressMs)
  return () => clearInterval(timer)
}
