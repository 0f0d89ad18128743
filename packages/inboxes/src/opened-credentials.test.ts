import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenedCredentials } from './opened-credentials.ts'

const inboxId = 'b1d7c9a0-0000-4000-8000-000000000001'

test('a credential is given out for its own version only', () => {
  const opened = new OpenedCredentials()
  opened.set(inboxId, 3, { password: 'old' })
  assert.deepEqual(opened.get(inboxId, 3), { password: 'old' })
  assert.equal(opened.get(inboxId, 4), undefined)
  opened.set(inboxId, 4, { password: 'new' })
  assert.equal(opened.get(inboxId, 3), undefined)
})

test('a credential that nobody uses is forgotten after two minutes, one in use is not', (context) => {
  context.mock.timers.enable({ apis: ['Date', 'setInterval'] })
  const opened = new OpenedCredentials()
  opened.set(inboxId, 1, 'used')
  opened.set('other', 1, 'unused')
  context.mock.timers.tick(100_000)
  assert.equal(opened.get(inboxId, 1), 'used')
  context.mock.timers.tick(100_000)
  assert.equal(opened.get('other', 1), undefined)
  assert.equal(opened.get(inboxId, 1), 'used')
  context.mock.timers.tick(200_000)
  assert.equal(opened.get(inboxId, 1), undefined)
})

test('of very many inboxes the ones used last are kept', () => {
  const opened = new OpenedCredentials()
  for (let n = 0; n < 1_500; n++) opened.set(`inbox ${n}`, 1, n)
  assert.equal(opened.get('inbox 0', 1), undefined)
  assert.equal(opened.get('inbox 1499', 1), 1_499)
})
