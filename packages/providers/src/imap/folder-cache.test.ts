import { rawText } from '@postern/mail'
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { FolderCache, type ListedFolder } from './folder-cache.ts'
import type { ImapAccount } from './pool.ts'

const caches: FolderCache[] = []
afterEach(() => caches.splice(0).forEach((cache) => cache.close()))

function cache(): FolderCache {
  const made = new FolderCache()
  caches.push(made)
  return made
}

function account(inboxId: string, credentialVersion = 1): ImapAccount {
  const credential = { host: 'h', port: 993, tls: 'implicit', username: 'u', password: 'p' } as const
  return { inboxId, credentialVersion, credential }
}

function folders(count: number): readonly ListedFolder[] {
  return Array.from({ length: count }, (_, index) => {
    const name = rawText(`f${index}`)
    return { folderId: name, name, path: name, delimiter: '/', attributes: [] }
  })
}

test('a listing is of one inbox and one credential', () => {
  const known = cache()
  known.set(account('a'), folders(2))
  assert.equal(known.get(account('a'))?.length, 2)
  assert.equal(known.get(account('a', 2)), null)
  assert.equal(known.get(account('b')), null)
  assert.equal(known.find(account('a'), 'f1')?.name, 'f1')
  known.drop('a')
  assert.equal(known.get(account('a')), null)
})

test('many large mailboxes do not fill the memory: the oldest listings go', () => {
  const known = cache()
  for (let index = 0; index < 20; index++) known.set(account(`i${index}`), folders(10_000))
  assert.equal(known.get(account('i0')), null)
  assert.equal(known.get(account('i19'))?.length, 10_000)
  const kept = Array.from({ length: 20 }, (_, index) => known.get(account(`i${index}`))).filter(
    (list) => list !== null,
  )
  assert.ok(kept.length <= 4)
  known.set(account('huge'), folders(50_000))
  assert.equal(known.get(account('huge')), null)
})

test('a listing is forgotten after a minute', (context) => {
  context.mock.timers.enable({ apis: ['Date', 'setInterval'] })
  const known = cache()
  known.set(account('a'), folders(1))
  context.mock.timers.tick(59_000)
  assert.ok(known.get(account('a')))
  context.mock.timers.tick(2_000)
  assert.equal(known.get(account('a')), null)
})
