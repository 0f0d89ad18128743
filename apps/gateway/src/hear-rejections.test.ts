import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

// In a process of its own: the test runner has a listener too, and counts each as a failed test.
const script = `
  import { createLog } from '@postern/core'
  import { hearRejections } from './hear-rejections.ts'
  const stop = hearRejections(createLog('error', (line) => process.stdout.write(line)))
  void Promise.reject(new TypeError('first'))
  setTimeout(() => {
    console.log('alive')
    stop()
    void Promise.reject(new TypeError('second'))
  }, 20)
`

test('a failure that nobody waits for is logged and ends nothing', async () => {
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
  })
  const error: unknown = await run.then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof Error && 'stdout' in error && 'stderr' in error)
  assert.match(String(error.stdout), /"event":"rejection_unheard".*"cause":"TypeError: first"[^]*\nalive\n$/)
  assert.match(String(error.stderr), /TypeError: second/)
})
