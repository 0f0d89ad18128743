import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** Two processes at once: the machines that run this have two cores. */
const lanes = 2

/** A test that waits for what never comes ends its own; one that leaves something open ends its file. */
const testSeconds = 60
const fileSeconds = 300

export interface TestCounts {
  tests: number
  suites: number
  passed: number
  cancelled: number
  skipped: number
  todo: number
}

/**
 * Runs each file in a process of its own and prints what the runner of Node prints.
 * @param paths absolute, in the order in which they are begun.
 * @returns how many tests did what; a file that could not be run counts as a failed test.
 */
export async function runTestFiles(paths: readonly string[], signal: AbortSignal): Promise<TestCounts> {
  const counts: TestCounts = { tests: 0, suites: 0, passed: 0, cancelled: 0, skipped: 0, todo: 0 }
  const startedAt = performance.now()
  const events = new PassThrough({ objectMode: true })
  const printed = pipeline(events, new spec(), process.stdout, { end: false })
  const queue = paths.values()
  const work = Array.from({ length: lanes }, async () => {
    for (const path of queue) {
      if (signal.aborted) return
      for (const event of await runFile(path, signal, counts)) events.write(event)
    }
  })
  await Promise.all(work)
  for (const [name, total] of Object.entries(totals(counts, performance.now() - startedAt))) {
    events.write({ type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${String(total)}` } })
  }
  events.end()
  await printed
  return counts
}

/** All events of a file at once, so that the reports of two files do not mix; its own totals are left out. */
async function runFile(path: string, signal: AbortSignal, counts: TestCounts): Promise<unknown[]> {
  const events: unknown[] = []
  const stream = run({
    files: [path],
    execArgv: [`--test-timeout=${String(testSeconds * 1_000)}`],
    signal: AbortSignal.any([signal, AbortSignal.timeout(fileSeconds * 1_000)]),
  })
  for await (const event of stream as AsyncIterable<TestEvent>) {
    if (event.type === 'test:summary' && event.data.file === undefined) add(counts, event.data.counts)
    const isTotal =
      event.type === 'test:summary' || (event.type === 'test:diagnostic' && event.data.nesting === 0)
    if (!isTotal) events.push(event)
  }
  return events
}

type TestEvent =
  | {
      readonly type: 'test:summary'
      readonly data: { readonly file?: string; readonly counts: TestCounts }
    }
  | { readonly type: 'test:diagnostic'; readonly data: { readonly nesting: number } }
  | { readonly type: 'other' }

function add(counts: TestCounts, more: TestCounts): void {
  counts.tests += more.tests
  counts.suites += more.suites
  counts.passed += more.passed
  counts.cancelled += more.cancelled
  counts.skipped += more.skipped
  counts.todo += more.todo
}

/** The lines that `node --test` ends with, under its names. */
function totals(counts: TestCounts, durationMs: number): Record<string, number> {
  const { tests, suites, passed: pass, cancelled, skipped, todo } = counts
  const fail = tests - pass - cancelled - skipped - todo
  return { tests, suites, pass, fail, cancelled, skipped, todo, duration_ms: Math.round(durationMs) }
}
