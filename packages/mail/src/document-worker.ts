import { parentPort } from 'node:worker_threads'
import type { ExtractionTask } from './extraction.ts'
import { runExtraction } from './run-extraction.ts'

// One task in, one answer out; the pool never sends a second before the first is answered. A task that throws ends the
// thread, which the pool hears.
parentPort?.on('message', (task: ExtractionTask) => {
  void runExtraction(task).then((extraction) => parentPort?.postMessage(extraction))
})
