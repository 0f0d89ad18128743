import type { HtmlRendering, HtmlTask } from './html-task.ts'
import { createThreadPool, type ThreadPoolOptions } from './thread-pool.ts'

export type ParsePoolOptions = ThreadPoolOptions

/** Who takes documents apart. */
export interface HtmlParser {
  /** The rendering, or null when the document is a bomb, took too long or too much, or nobody had time for it. */
  render(task: HtmlTask): Promise<HtmlRendering | null>
}

/** Threads in which long HTML is parsed. */
export interface ParsePool extends HtmlParser {
  /** The same threads on behalf of one owner, such as a tenant (`ThreadPool.run`). */
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
  bufferLimitMiB: null,
  idleMs: 30_000,
  onFailure: () => undefined,
}

export function createParsePool(options: Partial<ParsePoolOptions> = {}): ParsePool {
  const script = { url: new URL('./html-worker.ts', import.meta.url), name: 'html' }
  const threads = createThreadPool<HtmlTask, HtmlRendering | null>(script, { ...defaults, ...options })
  const of = (owner: string): HtmlParser => ({
    render: async (task) => (await threads.run(owner, task)).answer,
  })
  return { ...of(''), of, close: () => threads.close() }
}
