import { parentPort } from 'node:worker_threads'
import { runHtmlTask, type HtmlTask } from './html-task.ts'

// One task in, one answer out; the pool never sends a second before the first is answered.
parentPort?.on('message', (task: HtmlTask) => {
  parentPort?.postMessage(runHtmlTask(task))
})
