import { Worker } from 'node:worker_threads'

/** Why a task came back without an answer. */
export type ParseFailure = 'busy' | 'timeout' | 'crash'

export interface ThreadPoolOptions {
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
  /**
   * Memory of one thread beside its heap, in MiB, looked at while it works; null where tasks hold no buffers to speak
   * of. The limit of the heap does not see a buffer.
   */
  readonly bufferLimitMiB: number | null
  /** A thread without work ends after this, and gives its memory back. */
  readonly idleMs: number
  /** Told of each failure, for counting. */
  readonly onFailure: (failure: ParseFailure) => void
}

/** What came of a task. */
export type ThreadOutcome<Answer> =
  | { readonly failure: null; readonly answer: Answer }
  | { readonly failure: ParseFailure; readonly answer: null }

/** Threads in which a stranger's document may be as costly as it likes. */
export interface ThreadPool<Task, Answer> {
  /**
   * Runs a task on behalf of one owner, such as a tenant: the next free thread goes to who has the fewest, so that
   * nobody's bombs keep the others waiting for longer than one of them takes.
   */
  run(owner: string, task: Task): Promise<ThreadOutcome<Answer>>
  /** Ends the threads; tasks under way and waiting fail. */
  close(): Promise<void>
}

/** What a thread runs: a file that answers each message with one message, and never has two at a time. */
export interface ThreadScript {
  readonly url: URL
  readonly name: string
}

const bufferLookMs = 50

interface Job<Task, Answer> {
  readonly owner: string
  readonly task: Task
  readonly resolve: (outcome: ThreadOutcome<Answer>) => void
  readonly patience: NodeJS.Timeout
}

interface Slot<Answer> {
  worker: Worker | null
  /** Whose job is under way. */
  owner: string | null
  /** Ends the job under way: with its answer, or without one and with the thread. */
  settle: ((outcome: ThreadOutcome<Answer>) => void) | null
  idle: NodeJS.Timeout | null
}

/** A pool that keeps no thread and no timer while it has nothing to do, and never keeps the process alive by itself. */
export function createThreadPool<Task, Answer>(
  script: ThreadScript,
  settings: ThreadPoolOptions,
): ThreadPool<Task, Answer> {
  const slots: Slot<Answer>[] = Array.from({ length: settings.size }, () => ({
    worker: null,
    owner: null,
    settle: null,
    idle: null,
  }))
  const waiting: Job<Task, Answer>[] = []
  let isClosed = false

  const refuse = (job: Job<Task, Answer>): void => {
    clearTimeout(job.patience)
    settings.onFailure('busy')
    job.resolve({ failure: 'busy', answer: null })
  }
  const next = (): void => {
    for (const slot of slots) {
      if (slot.settle !== null) continue
      const job = nextInLine(waiting, slots)
      if (job === null) return
      waiting.splice(waiting.indexOf(job), 1)
      clearTimeout(job.patience)
      runJob({ slot, script, settings, next }, job)
    }
  }
  const run = (owner: string, task: Task): Promise<ThreadOutcome<Answer>> =>
    new Promise((resolve) => {
      const patience = setTimeout(() => {
        const index = waiting.indexOf(job)
        if (index === -1) return
        waiting.splice(index, 1)
        refuse(job)
      }, settings.waitLimitMs)
      const job: Job<Task, Answer> = { owner, task, resolve, patience }
      const own = waiting.filter((other) => other.owner === owner).length
      if (isClosed || waiting.length >= settings.queueLimit || own >= settings.ownerLimit) refuse(job)
      else {
        waiting.push(job)
        next()
      }
    })
  return {
    run,
    close: async () => {
      isClosed = true
      waiting.splice(0).forEach(refuse)
      await Promise.all(slots.map((slot) => endSlot(slot)))
    },
  }
}

/** Of those who have the fewest threads at work, the job that waits longest. */
function nextInLine<Task, Answer>(
  waiting: readonly Job<Task, Answer>[],
  slots: readonly Slot<Answer>[],
): Job<Task, Answer> | null {
  const running = ({ owner }: Job<Task, Answer>): number =>
    slots.filter((slot) => slot.owner === owner).length
  return waiting.reduce<Job<Task, Answer> | null>(
    (best, job) => (best === null || running(job) < running(best) ? job : best),
    null,
  )
}

interface Place<Answer> {
  readonly slot: Slot<Answer>
  readonly script: ThreadScript
  readonly settings: ThreadPoolOptions
  /** To be called when the slot is free again. */
  readonly next: () => void
}

function runJob<Task, Answer>({ slot, script, settings, next }: Place<Answer>, job: Job<Task, Answer>): void {
  if (slot.idle !== null) clearTimeout(slot.idle)
  const worker = (slot.worker ??= startWorker(slot, script, settings))
  const fail = (failure: ParseFailure): void => slot.settle?.({ failure, answer: null })
  const timer = setTimeout(() => fail('timeout'), settings.timeLimitMs)
  const stopLooking = watchBuffers(worker, settings.bufferLimitMiB, () => fail('crash'))
  slot.owner = job.owner
  slot.settle = (outcome) => {
    clearTimeout(timer)
    stopLooking()
    slot.settle = null
    slot.owner = null
    if (outcome.failure === null) {
      worker.unref()
      slot.idle = setTimeout(() => void endSlot(slot), settings.idleMs).unref()
    } else {
      settings.onFailure(outcome.failure)
      void endSlot(slot)
    }
    job.resolve(outcome)
    next()
  }
  worker.ref()
  worker.postMessage(job.task)
}

/** Calls `onExcess` when the buffers of a thread exceed their limit; the thread need not be listening. */
function watchBuffers(worker: Worker, limitMiB: number | null, onExcess: () => void): () => void {
  if (limitMiB === null) return () => undefined
  let isOver = false
  const look = async (): Promise<void> => {
    const { external_memory: octets } = await worker.getHeapStatistics()
    if (!isOver && octets > limitMiB * 1024 * 1024) onExcess()
  }
  // A thread that has ended has no statistics; its `exit` says what became of the job.
  const timer = setInterval(() => void look().then(undefined, () => undefined), bufferLookMs)
  return () => {
    isOver = true
    clearInterval(timer)
  }
}

function startWorker<Answer>(
  slot: Slot<Answer>,
  { url, name }: ThreadScript,
  settings: ThreadPoolOptions,
): Worker {
  const worker = new Worker(url, {
    name,
    // The parser of hostile octets needs neither our secrets nor our flags.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: settings.memoryLimitMiB, maxYoungGenerationSizeMb: 32 },
  })
  const isCurrent = (): boolean => slot.worker === worker
  const crash = { failure: 'crash', answer: null } as const
  worker.on('message', (answer: Answer) => {
    if (isCurrent()) slot.settle?.({ failure: null, answer })
  })
  // Must stay attached for the life of the thread: an `error` event that nobody hears ends the process.
  worker.on('error', () => {
    if (isCurrent()) slot.settle?.(crash)
  })
  worker.on('exit', () => {
    if (!isCurrent()) return
    slot.worker = null
    slot.settle?.(crash)
  })
  return worker
}

async function endSlot<Answer>(slot: Slot<Answer>): Promise<void> {
  const { worker } = slot
  slot.worker = null
  if (slot.idle !== null) clearTimeout(slot.idle)
  slot.idle = null
  slot.settle?.({ failure: 'crash', answer: null })
  await worker?.terminate()
}
