import { silentLog } from '@postern/core'
import { startScriptedImap } from '@postern/fixtures'
import type { Call } from '@postern/mail'
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'node:test'
import { dial } from './dial.ts'

test('megabytes of short lines from one server leave every other mailbox its turns', async (t) => {
  const storm = '* 1 EXPUNGE\r\n'.repeat(30_000)
  const server = await startScriptedImap({
    on: {
      NOOP: async (command, { send, ok }) => {
        await send(storm)
        await ok(command)
      },
    },
  })
  t.after(() => server.close())
  const call: Call = {
    signal: new AbortController().signal,
    deadline: new Date(Date.now() + 20_000),
    log: silentLog,
  }
  const credential = {
    host: '127.0.0.1',
    port: server.port,
    tls: 'none',
    username: 'u',
    password: 'p',
  } as const
  const connection = await dial(credential, { allowPrivateHosts: true }, call)
  t.after(() => connection.end())
  let isOver = false
  const answered = connection.run({ command: 'NOOP', args: [] }, {}, call).finally(() => (isOver = true))
  let turns = 0
  for (; !isOver; turns += 1) await turn()
  assert.equal((await answered).status, 'OK')
  assert.ok(turns > storm.length / 20_000, `${String(turns)} turns`)
})
