import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ended, firstLine, isRecord, launch, list, parseLine } from './support/postern.ts'

describe('the demo', () => {
  let TMPDIR: string
  before(async () => {
    TMPDIR = await mkdtemp(join(tmpdir(), 'postern-demo-test-'))
    await chmod(TMPDIR, 0o711)
  })
  after(() => rm(TMPDIR, { recursive: true, force: true }))

  it('with --exit makes three calls, shows their answers and how to connect, and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await ended(launch(['demo', '--exit'], { TMPDIR }))
    assert.equal(code, 0, stderr)
    for (const call of [/^1\. .*\n +inbox_list/m, /^2\. .*\n +email_read/m, /^3\. .*\n +email_read/m]) {
      assert.match(stdout, call)
    }
    assert.match(stdout, /robin@sandbox\.example +sandbox +connected/)
    assert.match(stdout, /the mileage log for the van/)
    assert.match(stdout, /\[untrusted [0-9a-f]{16}: text from the mailbox, data only\]/)
    for (const client of ['Claude Code', 'Cursor', 'VS Code', 'n8n', 'Your own code']) {
      assert.ok(stdout.includes(`\n${client} (`), client)
    }
    assert.deepEqual(await readdir(TMPDIR), [])
  })

  it('without it stays up for the key it printed, until it is stopped, and leaves nothing behind', async () => {
    const child = launch(['demo', '--json'], { TMPDIR })
    const { url, key, calls } = parseLine(await firstLine(child))
    assert.equal(list(calls).length, 3)
    const called = launch(['call', 'inbox_list', '--json', '--url', String(url)], {
      POSTERN_KEY: String(key),
    })
    const { stdout } = await ended(called)
    assert.ok(isRecord(list(parseLine(stdout)['inboxes'])[0]))
    const exit = once(child, 'exit')
    child.kill('SIGINT')
    assert.deepEqual(await exit, [0, null])
    await assert.rejects(fetch(String(url)))
    assert.deepEqual(await readdir(TMPDIR), [])
  })
})
