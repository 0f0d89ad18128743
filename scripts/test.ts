import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { mailServersVariable } from '../packages/fixtures/src/mail-servers.ts'
import { startTestServer, testServerVariable } from '../packages/fixtures/src/test-database.ts'
import { startMailServers } from './mail-servers/start.ts'
import { runTestFiles } from './run-test-files.ts'
import { findTestFiles, type TestFile } from './test-files.ts'

/**
 * `npm test`: brings up what the tests need, runs them all, stops what it brought up, and ends with one line.
 * `npm test -- --unit` runs only what needs nothing; `npm test -- imap` runs the files with that in their path.
 */
const repository = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  options: { unit: { type: 'boolean', default: false } },
  allowPositionals: true,
})
interface Service {
  /** What the environment of the tests has to hold. */
  readonly value: string
  stop(): Promise<void>
}

const startedAt = performance.now()
const stopping = new AbortController()
process.once('SIGINT', () => stopping.abort())
process.once('SIGTERM', () => stopping.abort())

const files = findTestFiles(repository).filter(
  ({ path, kind }) =>
    (!values.unit || kind === 'unit') &&
    (positionals.length === 0 || positionals.some((part) => path.includes(part))),
)
const started: Service[] = []
try {
  if (files.some(({ kind }) => kind !== 'unit')) await bringUp()
  const problem = await runAll(files)
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  console.log(
    `test: ${String(files.length)} files in ${String(seconds)} s, ${problem ?? 'everything passed'}`,
  )
  process.exitCode = problem === null ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.log('test: what the tests need is not there, nothing was run')
  process.exitCode = 1
} finally {
  await Promise.all(started.map((service) => service.stop()))
}

/** A server named by the environment is used as it is; else this run has its own. */
async function bringUp(): Promise<void> {
  const services = [
    { variable: mailServersVariable, start: startMailServers },
    { variable: testServerVariable, start: startTestServer },
  ]
  const work = services.map(async ({ variable, start }) => {
    if ((process.env[variable] ?? '') !== '') return
    const service = await start()
    started.push(service)
    process.env[variable] = service.value
  })
  // All are awaited even when one fails, so that whatever did start is stopped.
  await Promise.allSettled(work)
  await Promise.all(work)
}

/** What went wrong, or null. A skipped or deferred test counts as wrong: nothing may pass by not running. */
async function runAll(wanted: readonly TestFile[]): Promise<string | null> {
  if (wanted.length === 0) return 'no test file matches'
  const paths = wanted.map(({ path }) => join(repository, path))
  const { tests, passed, skipped, todo } = await runTestFiles(paths, stopping.signal)
  if (stopping.signal.aborted) return 'stopped before the end'
  if (skipped + todo > 0) return `${String(skipped + todo)} tests did not run, which counts as failure`
  return passed === tests ? null : `${String(tests - passed)} of ${String(tests)} tests failed`
}
