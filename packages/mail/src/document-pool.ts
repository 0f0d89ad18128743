import type { Extraction, ExtractionTask } from './extraction.ts'
import { createThreadPool, type ThreadOutcome, type ThreadPoolOptions } from './thread-pool.ts'

/** Threads in which PDF and Office documents are taken apart. */
export interface DocumentPool {
  /** On behalf of one owner, such as a tenant (`ThreadPool.run`). */
  extract(owner: string, task: ExtractionTask): Promise<ThreadOutcome<Extraction>>
  close(): Promise<void>
}

const defaults: ThreadPoolOptions = {
  size: 2,
  timeLimitMs: 10_000,
  waitLimitMs: 8_000,
  queueLimit: 16,
  ownerLimit: 8,
  memoryLimitMiB: 256,
  // A file of 25 MB, its copy in the parser, and what one stream of it unfolds to.
  bufferLimitMiB: 256,
  idleMs: 30_000,
  onFailure: () => undefined,
}

export function createDocumentPool(options: Partial<ThreadPoolOptions> = {}): DocumentPool {
  const script = { url: new URL('./document-worker.ts', import.meta.url), name: 'document' }
  const threads = createThreadPool<ExtractionTask, Extraction>(script, { ...defaults, ...options })
  return { extract: (owner, task) => threads.run(owner, task), close: () => threads.close() }
}
