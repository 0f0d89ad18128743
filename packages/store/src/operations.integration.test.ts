import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { digestOf, type Json, type OperationItem, type OperationNotes } from '@postern/access'
import { Fault } from '@postern/core'
import {
  createLedgerBench,
  makeTenant,
  startTestDatabase,
  type LedgerBench,
  type TestDatabase,
} from '@postern/fixtures'
import { createKeyRing, generateKey } from '@postern/vault'
import { listOperationItems, saveOperationItems } from './operation-items.ts'
import { enterStage, resumeOperation } from './operation-lease.ts'
import { expireOperations, getOperation, resolveOperation, takeLook, takeUndo } from './operations.ts'
import { settleOperation } from './settle-operation.ts'
import { withTenant } from './tenant.ts'

let database: TestDatabase
let tenantId = ''
let bench: LedgerBench

before(async () => {
  database = await startTestDatabase()
  tenantId = await makeTenant(database.db)
  bench = createLedgerBench(database, tenantId)
  await bench.warm()
})

after(() => database.close())

const hour = 3_600
const month = 30 * 24 * hour

const isFault =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.code === code

const itemOf = (before: Uint8Array | null, status: OperationItem['status']): OperationItem => ({
  before,
  after: null,
  status,
})

const takeUndoOf = (id: string, undoneBy: string, seconds = 5): Promise<boolean> =>
  bench.run((trx) => takeUndo(trx, id, { undoneBy, now: bench.at(seconds) }))

describe('the same key string again', () => {
  test('check 173: with other arguments is a conflict, also after a failure; while the first runs it is in progress', async () => {
    const asked = bench.request()
    const id = await bench.claimed(asked)
    const again = await bench.claim(asked, { seconds: 5 })
    assert.deepEqual(
      [again.kind, again.kind === 'in_progress' && again.operation.operationId],
      ['in_progress', id],
    )
    const changed = { ...asked, digest: digestOf({ to: ['c@d.example'] }) }
    assert.equal((await bench.claim(changed)).kind, 'conflict')
    await bench.settle(id, 'not_sent')
    assert.equal((await bench.claim(changed)).kind, 'conflict')
  })

  test('check 174: of another caller or another action is independent', async () => {
    const asked = bench.request()
    const ids = [
      await bench.claimed(asked),
      await bench.claimed({ ...asked, principalId: 'key_2' }),
      await bench.claimed({ ...asked, operation: 'draft.create' }),
    ]
    assert.equal(new Set(ids).size, 3)
  })

  test("check 174: and so is another tenant's, which sees nothing of it", async () => {
    const asked = bench.request()
    await bench.claimed(asked)
    const foreign = await makeTenant(database.db)
    const theirs = createLedgerBench(database, foreign)
    assert.equal((await theirs.claim({ ...asked, tenantId: foreign })).kind, 'claimed')
  })

  test('check 175: after success is answered with what the first one gave', async () => {
    const asked = bench.request()
    const id = await bench.claimed(asked)
    await bench.settle(id, 'sent', { message_id: 'm_1', accepted: 2 })
    const again = await bench.claim(asked, { seconds: 10 })
    assert.ok(again.kind === 'replay')
    assert.deepEqual(
      [again.operation.operationId, again.operation.outcome, again.operation.result],
      [id, 'sent', { message_id: 'm_1', accepted: 2 }],
    )
  })

  test('check 177: after 24 hours is a new call', async () => {
    const asked = bench.request()
    const id = await bench.claimed(asked)
    await bench.settle(id, 'sent')
    assert.equal((await bench.claim(asked, { seconds: 24 * hour - 1 })).kind, 'replay')
    const changed = { ...asked, digest: digestOf({}) }
    assert.notEqual(await bench.claimed(changed, { seconds: 24 * hour }), id)
  })

  test('check 177: after 24 hours is a new call also when the first one was left behind', async () => {
    const asked = bench.request()
    const id = await bench.claimed(asked)
    await bench.enter(id, 'data')
    assert.notEqual(await bench.claimed(asked, { seconds: 25 * hour }), id)
    assert.equal((await bench.look(id, 25 * hour)).outcome, 'unknown')
  })

  test('check 178: after not_sent or a failure runs again; after unknown it never does', async () => {
    for (const outcome of ['not_sent', 'failed'] as const) {
      const asked = bench.request()
      const id = await bench.claimed(asked)
      await bench.settle(id, outcome)
      assert.notEqual(await bench.claimed(asked, { seconds: 3 }), id)
    }
    for (const outcome of ['unknown', 'partial', 'done', 'sent', 'scheduled'] as const) {
      const asked = bench.request()
      await bench.settle(await bench.claimed(asked), outcome)
      assert.equal((await bench.claim(asked, { seconds: 3 })).kind, 'replay', outcome)
    }
  })

  test('while a member has to approve is the same one; once that was refused it is a new one', async () => {
    const asked = bench.request()
    const id = await bench.claimed(asked)
    await bench.settle(id, 'pending_approval', { approval_id: 'apr_1' })
    const held = await bench.claim(asked, { seconds: 3 })
    assert.ok(held.kind === 'replay')
    assert.deepEqual([held.operation.outcome, held.operation.operationId], ['pending_approval', id])
    await bench.run(async (trx) => {
      await resumeOperation(trx, id, { lease: bench.ours, now: bench.at(4) })
      const refused = { outcome: 'not_sent', faultCode: 'approval_expired', result: {} } as const
      await settleOperation(trx, id, refused, bench.at(4))
    })
    assert.notEqual(await bench.claimed(asked, { seconds: 5 }), id)
  })

  test('is one call to any number of processes at once', async () => {
    const asked = bench.request()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        bench.claim(asked, { by: n % 2 === 0 ? bench.ours : bench.other }),
      ),
    )
    const kinds = answers.map(({ kind }) => kind)
    assert.equal(kinds.filter((kind) => kind === 'claimed').length, 1)
    assert.equal(kinds.filter((kind) => kind === 'in_progress').length, 49)
  })

  test('is found after the keys were rotated, and is still one call', async () => {
    const asked = bench.request()
    const id = await bench.claimed(asked)
    await bench.settle(id, 'sent')
    const rotated = createKeyRing(`${generateKey()},${database.secretKeys}`)
    const again = await bench.claim(asked, { keyRing: rotated, seconds: 3 })
    assert.ok(again.kind === 'replay')
    assert.equal(again.operation.operationId, id)
    const changed = { ...asked, digest: digestOf({ to: [] }) }
    assert.equal((await bench.claim(changed, { keyRing: rotated })).kind, 'conflict')
  })

  test('is one call also while some processes sign with the next key, and all know it', async () => {
    const next = generateKey()
    const [early, late] = [`${next},${database.secretKeys}`, `${database.secretKeys},${next}`].map(
      createKeyRing,
    )
    assert.ok(early !== undefined && late !== undefined)
    const asked = bench.request()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => bench.claim(asked, { keyRing: n % 2 === 0 ? early : late })),
    )
    assert.equal(answers.filter(({ kind }) => kind === 'claimed').length, 1)
  })
})

describe('a call without a key', () => {
  const claimTwin = async (
    asked: ReturnType<LedgerBench['request']>,
    seconds = 0,
  ): Promise<string | null> => {
    const answer = await bench.claim(asked, { seconds })
    assert.ok(answer.kind === 'claimed')
    return answer.twinId
  }

  test('check 165 and 180: an equal one within ten minutes names the first, unless nothing came of that', async () => {
    const asked = bench.request({ idempotencyKey: null, args: { subject: 'twin' } })
    const first = await bench.claimed(asked)
    assert.equal(await claimTwin(asked, 599), first)
    assert.equal(await claimTwin(asked, 1_200), null)
    const failed = bench.request({ idempotencyKey: null, args: { subject: 'failed twin' } })
    await bench.settle(await bench.claimed(failed), 'not_sent')
    assert.equal(await claimTwin(failed, 5), null)
  })

  test('other arguments, another caller and another action are no twins', async () => {
    const asked = bench.request({ idempotencyKey: null, args: { subject: 'alone' } })
    await bench.claimed(asked)
    assert.equal(await claimTwin({ ...asked, digest: digestOf({ subject: 'else' }) }, 1), null)
    assert.equal(await claimTwin({ ...asked, principalId: 'key_2' }, 1), null)
    assert.equal(await claimTwin({ ...asked, operation: 'draft.create' }, 1), null)
  })
})

describe('an operation', () => {
  test('check 182: of another caller or another tenant is not found, nor is what is no id', async () => {
    const id = await bench.claimed(bench.request())
    const foreign = await makeTenant(database.db)
    const asForeign = <T>(act: Parameters<typeof withTenant<T>>[2]): Promise<T> =>
      withTenant(database.db, foreign, act)
    const texts: string[] = []
    const missed = async (missing: Promise<unknown>): Promise<void> =>
      assert.rejects(missing, (error) => {
        if (error instanceof Fault) texts.push(error.public)
        return isFault('operation_not_found')(error)
      })
    await missed(bench.run((trx) => getOperation(trx, 'key_2', id, bench.at(1))))
    await missed(asForeign((trx) => getOperation(trx, 'key_1', id, bench.at(1))))
    for (const text of ['op_12345678901234567890', 'op_\0', '', "op_'", 'op_'.padEnd(5_000, 'a')])
      await missed(bench.run((trx) => getOperation(trx, 'key_1', text, bench.at(1))))
    assert.equal(new Set(texts).size, 1)
    await assert.rejects(
      asForeign((trx) => enterStage(trx, id, 'data', { lease: bench.ours, now: bench.at(1) })),
      isFault('operation_in_progress'),
    )
    assert.deepEqual(await asForeign((trx) => listOperationItems(trx, id)), [])
  })

  test('keeps ids and counts of a large result, and says what it left out', async () => {
    const id = await bench.claimed(bench.request())
    await bench.settle(id, 'partial', {
      outcome: 'partial',
      succeeded: 400,
      results: Array.from({ length: 500 }, (_, index) => ({ message_id: `m_${index}`, status: 'failed' })),
      ids: ['m_1', 'm_2'],
    })
    assert.deepEqual((await bench.look(id)).result, {
      outcome: 'partial',
      succeeded: 400,
      ids: ['m_1', 'm_2'],
      results_omitted: true,
    })
  })

  test('is settled also with text that PostgreSQL does not keep, and with fields that are not there', async () => {
    const id = await bench.claimed(bench.request())
    const own: unknown = { folder_id: 'a\0b\ud800', new_message_id: undefined, moved: 1 }
    await bench.settle(id, 'done', own as Record<string, Json>)
    const { outcome, result } = await bench.look(id)
    assert.deepEqual([outcome, result], ['done', { folder_id: 'a\ufffdb\ufffd', moved: 1 }])
  })

  test('check 181: that was unknown is settled by a look, any other keeps what was told', async () => {
    const resolution = { method: 'sent_folder', checkedAt: bench.at(60), evidence: 'found by its Message-ID' }
    const resolve = (id: string): Promise<unknown> =>
      bench.run((trx) => resolveOperation(trx, id, { outcome: 'sent', resolution }))
    const unknown = await bench.claimed(bench.request())
    await bench.settle(unknown, 'unknown')
    await resolve(unknown)
    const known = await bench.claimed(bench.request())
    await bench.settle(known, 'not_sent')
    await resolve(known)
    const told = async (id: string): Promise<unknown[]> => {
      const found = await bench.look(id)
      return [found.outcome, found.resolution, found.resolvedAt]
    }
    assert.deepEqual(await told(unknown), ['sent', resolution, bench.at(60)])
    assert.deepEqual(await told(known), ['not_sent', null, null])
  })

  test('that is unknown is looked for by one of any number of callers, every 30 s', async () => {
    const id = await bench.claimed(bench.request())
    const take = (seconds: number): Promise<boolean> =>
      bench.run((trx) => takeLook(trx, id, bench.at(seconds)))
    assert.equal(await take(3), false, 'it runs: there is nothing to look for')
    await bench.settle(id, 'unknown')
    const taken = await Promise.all(Array.from({ length: 10 }, () => take(4)))
    assert.equal(taken.filter(Boolean).length, 1)
    assert.equal(await take(33), false)
    assert.equal(await take(34), true)
  })

  test('knows each of its messages before and after, in order', async () => {
    const id = await bench.claimed(bench.request())
    const [one, two, three] = [Buffer.from('one'), Buffer.from('two'), Buffer.from('three')]
    const save = (items: readonly OperationItem[]): Promise<void> =>
      bench.run((trx) => saveOperationItems(trx, id, items))
    await save([
      { before: one, after: null, status: 'unknown' },
      { before: two, after: null, status: 'unknown' },
    ])
    await save([
      { before: one, after: null, status: 'failed' },
      { before: two, after: three, status: 'done' },
    ])
    assert.deepEqual(await bench.run((trx) => listOperationItems(trx, id)), [
      { before: one, after: null, status: 'failed' },
      { before: two, after: three, status: 'done' },
    ])
  })

  test('knows which marks a message did not have before, whatever is told of it later', async () => {
    const id = await bench.claimed(bench.request())
    const one = Buffer.from('one')
    const marks = { added: ['seen', 'label:later'], removed: ['flagged'] }
    const save = (item: OperationItem): Promise<void> =>
      bench.run((trx) => saveOperationItems(trx, id, [item]))
    await save({ before: one, after: null, status: 'unknown', marks })
    await save({ before: one, after: one, status: 'done' })
    assert.deepEqual(await bench.run((trx) => listOperationItems(trx, id)), [
      { before: one, after: one, status: 'done', marks },
    ])
  })

  test('keeps of what was noted more than is told at its end, and never takes on messages then', async () => {
    const id = await bench.claimed(bench.request())
    const items = ['one', 'two'].map((name) => itemOf(Buffer.from(name), 'unknown'))
    const save = (saved: readonly OperationItem[]): Promise<void> =>
      bench.run((trx) => saveOperationItems(trx, id, saved))
    await save(items)
    await save([itemOf(Buffer.from('other'), 'done')])
    assert.deepEqual(await bench.run((trx) => listOperationItems(trx, id)), [
      itemOf(Buffer.from('one'), 'done'),
      ...items.slice(1),
    ])
    await assert.rejects(save([...items, itemOf(null, 'done')]), isFault('internal_error'))
  })

  test('keeps a thousand messages in order', async () => {
    const id = await bench.claimed(bench.request())
    const items = Array.from({ length: 1_000 }, (_, n) => ({
      before: Buffer.from([n >> 8, n & 0xff]),
      after: n % 3 === 0 ? null : Buffer.from([1]),
      status: 'done' as const,
    }))
    await bench.run((trx) => saveOperationItems(trx, id, items))
    assert.deepEqual(await bench.run((trx) => listOperationItems(trx, id)), items)
  })

  test('is forgotten after 30 days, with its messages', async () => {
    const old = await makeTenant(database.db)
    const theirs = createLedgerBench(database, old)
    const id = await theirs.claimed({ ...theirs.request(), tenantId: old })
    const items = [{ before: Buffer.from('x'), after: null, status: 'done' }] as const
    await theirs.run((trx) => saveOperationItems(trx, id, items))
    assert.equal(await theirs.run((trx) => expireOperations(trx, theirs.at(month - 1))), 0)
    await assert.rejects(theirs.look(id, month), isFault('operation_not_found'))
    assert.equal(await theirs.run((trx) => expireOperations(trx, theirs.at(month))), 1)
    assert.deepEqual(await theirs.run((trx) => listOperationItems(trx, id)), [])
  })
})

describe('undoing', () => {
  const change = async (outcome: 'done' | 'partial' | 'unknown' | 'failed' = 'done'): Promise<string> => {
    const id = await bench.claimed(bench.request({ operation: 'email_organize.move' }))
    await bench.settle(id, outcome)
    return id
  }
  const undo = (): Promise<string> => bench.claimed(bench.request({ operation: 'email_organize.undo' }))

  test('is for one of any number', async () => {
    const id = await change()
    const undos = await Promise.all([undo(), undo(), undo()])
    const taken = await Promise.all(undos.map((by) => takeUndoOf(id, by)))
    assert.deepEqual(taken.filter(Boolean), [true])
    const { undoneBy, undoneAt } = await bench.look(id)
    assert.deepEqual([undoneBy, undoneAt], [undos[taken.indexOf(true)], bench.at(5)])
  })

  test('may be tried again when the first one left nothing, not while it runs and not when nobody knows', async () => {
    const id = await change()
    const first = await undo()
    assert.equal(await takeUndoOf(id, first), true)
    assert.equal(await takeUndoOf(id, await undo()), false)
    await bench.settle(first, 'failed')
    const second = await undo()
    assert.equal(await takeUndoOf(id, second), true)
    await bench.settle(second, 'unknown')
    assert.equal(await takeUndoOf(id, await undo()), false)
  })

  test('is of changes that were made, for 24 hours', async () => {
    for (const outcome of ['unknown', 'failed'] as const)
      assert.equal(await takeUndoOf(await change(outcome), await undo()), false, outcome)
    const running = await bench.claimed(bench.request())
    assert.equal(await takeUndoOf(running, await undo()), false)
    const id = await change('partial')
    assert.equal(await takeUndoOf(id, await undo(), 24 * hour), false)
    assert.equal(await takeUndoOf(id, await undo(), 24 * hour - 1), true)
  })
})

test('what a write is about stands where its process died, and gives way to its result where it did not', async () => {
  const about = { destination_folder_id: 'Work' }
  const [died, ended] = [await bench.claimed(bench.request()), await bench.claimed(bench.request())]
  const change = (id: string, notes: OperationNotes): Promise<void> =>
    bench.run((trx) => enterStage(trx, id, 'change', { lease: bench.ours, now: bench.at(1), notes }))
  for (const id of [died, ended]) {
    await change(id, { about })
    await change(id, {})
  }
  await bench.settle(ended, 'done', { done: 1 })
  assert.deepEqual((await bench.look(ended)).result, { done: 1 })
  const { outcome, result } = await bench.look(died)
  assert.deepEqual([outcome, result], ['unknown', about])
  await assert.rejects(change(died, { about: { destination_folder_id: 'Other' } }))
  assert.deepEqual((await bench.look(died)).result, about)
})

test('check 178: of two calls of a key at one moment the one that acted is replayed, however they are stored', async () => {
  for (let n = 0; n < 12; n++) {
    const asked = bench.request()
    await bench.settle(await bench.claimed(asked), 'not_sent')
    const sent = await bench.claimed(asked)
    await bench.settle(sent, 'sent')
    const again = await bench.claim(asked)
    assert.deepEqual([again.kind, again.kind === 'replay' && again.operation.operationId], ['replay', sent])
  }
})
