import { Worker } from 'node:worker_threads'
import type { HtmlRendering, HtmlTask } from './html-task.ts'

/** Why a task came back without an answer. */
export type ParseFailure = 'busy' | 'timeout' | 'crash'

export interface ParsePoolOptions {
  /** Worker threads at most; each starts with the first task that needs it. */
  readonly size: number
  /** Time for one task, a cold start of its thread included. */
  readonly timeLimitMs: number
  /** Time a task may wait for a thread. */
  readonly waitLimitMs: number
  /** Tasks that may wait; more are turned away at once. */
  readonly queueLimit: number
  /** The most of these that one owner may have waiting. */
  readonly ownerLimit: number
  /** Heap of one thread, in MiB. */
  readonly memoryLimitMiB: number
  /** A thread without work ends after this, and gives its memory back. */
  readonly idleMs: number
  /** Told of each failure, for counting. */
  readonly onFailure: (failure: ParseFailure) => void
}

/** Who takes documents apart. */
export interface HtmlParser {
  /** The rendering, or null when the document is a bomb, took too long or too much, or nobody had time for it. */
  render(task: HtmlTask): Promise<HtmlRendering | null>
}

/** Threads in which a stranger's document may be as costly as it likes. */
export interface ParsePool extends HtmlParser {
  /**
   * The same threads on behalf of one owner, such as a tenant: the next free thread goes to who has the fewest, so
   * that nobody's bombs keep the others waiting for longer than one of them takes.
   */
  of(owner: string): HtmlParser
  /** Ends the threads; tasks under way and waiting are answered with null. */
  close(): Promise<void>
}

const defaults: ParsePoolOptions = {
  size: 2,
  timeLimitMs: 5_000,
  waitLimitMs: 10_000,
  queueLimit: 48,
  ownerLimit: 24,
  memoryLimitMiB: 256,
  idleMs: 30_000,
  onFailure: () => undefined,
}

interface Job {
  readonly owner: string
  readonly task: HtmlTask
  readonly resolve: (rendering: HtmlRendering | null) => void
  readonly patience: NodeJS.Timeout
}

interface Slot {
  worker: Worker | null
  /** Whose job is under way. */
  owner: string | null
  /** Ends the job under way: with its answer, or without one and with the thread. */
  settle: ((rendering: HtmlRendering | null, failure: ParseFailure | null) => void) | null
  idle: NodeJS.Timeout | null
}

/** A pool that keeps no thread and no timer while it has nothing to do, and never keeps the process alive by itself. */
export function createParsePool(options: Partial<ParsePoolOptions> = {}): ParsePool {
  const settings = { ...defaults, ...options }
  const slots: Slot[] = Array.from({ length: settings.size }, () => ({
    worker: null,
    owner: null,
    settle: null,
    idle: null,
  }))
  const waiting: Job[] = []
  let isClosed = false

  const refuse = (job: Job): void => {
    clearTimeout(job.patience)
    settings.onFailure('busy')
    job.resolve(null)
  }
  const next = (): void => {
    for (const slot of slots) {
      if (slot.settle !== null) continue
      const job = nextInLine(waiting, slots)
      if (job === null) return
      waiting.splice(waiting.indexOf(job), 1)
      clearTimeout(job.patience)
      runJob(slot, job, settings, next)
    }
  }
  const render = (owner: string, task: HtmlTask): Promise<HtmlRendering | null> =>
    new Promise((resolve) => {
      const patience = setTimeout(() => {
        const index = waiting.indexOf(job)
        if (index === -1) return
        waiting.splice(index, 1)
        refuse(job)
      }, settings.waitLimitMs)
      const job: Job = { owner, task, resolve, patience }
      const own = waiting.filter((other) => other.owner === owner).length
      if (isClosed || waiting.length >= settings.queueLimit || own >= settings.ownerLimit) refuse(job)
      else {
        waiting.push(job)
        next()
      }
    })
  return {
    render: (task) => render('', task),
    of: (owner) => ({ render: (task) => render(owner, task) }),
    close: async () => {
      isClosed = true
      waiting.splice(0).forEach(refuse)
      await Promise.all(slots.map((slot) => endSlot(slot)))
    },
  }
}

/** Of those who have the fewest threads at work, the job that waits longest. */
function nextInLine(waiting: readonly Job[], slots: readonly Slot[]): Job | null {
  const running = ({ owner }: Job): number => slots.filter((slot) => slot.owner === owner).length
  return waiting.reduce<Job | null>(
    (best, job) => (best === null || running(job) < running(best) ? job : best),
    null,
  )
}

function runJob(slot: Slot, job: Job, settings: ParsePoolOptions, next: () => void): void {
  if (slot.idle !== null) clearTimeout(slot.idle)
  const worker = (slot.worker ??= startWorker(slot, settings))
  const timer = setTimeout(() => slot.settle?.(null, 'timeout'), settings.timeLimitMs)
  slot.owner = job.owner
  slot.settle = (rendering, failure) => {
    clearTimeout(timer)
    slot.settle = null
    slot.owner = null
    if (failure === null) {
      worker.unref()
      slot.idle = setTimeout(() => void endSlot(slot), settings.idleMs).unref()
    } else {
      settings.onFailure(failure)
      void endSlot(slot)
    }
    job.resolve(rendering)
    next()
  }
  worker.ref()
  worker.postMessage(job.task)
}

function startWorker(slot: Slot, settings: ParsePoolOptions): Worker {
  const worker = new Worker(new URL('./html-worker.ts', import.meta.url), {
    name: 'html',
    // The parser of hostile octets needs neither our secrets nor our flags.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: settings.memoryLimitMiB, maxYoungGenerationSizeMb: 32 },
  })
  const isCurrent = (): boolean => slot.worker === worker
  worker.on('message', (rendering: HtmlRendering | null) => {
    if (isCurrent()) slot.settle?.(rendering, null)
  })
  // Must stay attached for the life of the thread: an `error` event that nobody hears ends the process.
  worker.on('error', () => {
    if (isCurrent()) slot.settle?.(null, 'crash')
  })
  worker.on('exit', () => {
    if (!isCurrent()) return
    slot.worker = null
    slot.settle?.(null, 'crash')
  })
  return worker
}

async function endSlot(slot: Slot): Promise<void> {
  const { worker } = slot
  slot.worker = null
  if (slot.idle !== null) clearTimeout(slot.idle)
  slot.idle = null
  slot.settle?.(null, 'crash')
  await worker?.terminate()
}
