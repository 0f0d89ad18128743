import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { digestOf, type Claim, type Json, type OperationRequest } from '@postern/access'
import { Fault, type WriteStage } from '@postern/core'
import { makeTenant, startTestDatabase, type TestDatabase } from '@postern/fixtures'
import { createKeyRing, generateKey, type KeyRing } from '@postern/vault'
import {
  claimOperation,
  enterStage,
  expireOperations,
  getOperation,
  listOperationItems,
  markUndone,
  renewLeases,
  resolveOperation,
  saveOperationItems,
  setRfcMessageId,
  settleOperation,
} from './operations.ts'
import { withTenant } from './tenant.ts'

let database: TestDatabase
let tenantId = ''

before(async () => {
  database = await startTestDatabase()
  tenantId = await makeTenant(database.db)
})

after(() => database.close())

const start = new Date('2026-12-01T10:00:00Z')
const at = (seconds: number): Date => new Date(start.getTime() + seconds * 1_000)
const hour = 3_600
const lease = { owner: 'process-1', seconds: 90 }
const other = { owner: 'process-2', seconds: 90 }

let made = 0

/** A call of its own unless told otherwise. */
function request(given: Partial<OperationRequest> & { args?: Record<string, Json> } = {}): OperationRequest {
  const { args = { to: ['a@b.example'] }, ...rest } = given
  return {
    tenantId,
    principalId: 'key_1',
    operation: 'email_compose.send',
    inboxId: null,
    idempotencyKey: `key ${++made}`,
    digest: digestOf(args),
    ...rest,
  }
}

function claim(
  asked: OperationRequest,
  {
    seconds = 0,
    by = lease,
    keyRing = database.keyRing,
  }: { seconds?: number; by?: typeof lease; keyRing?: KeyRing } = {},
): Promise<Claim> {
  return withTenant(database.db, tenantId, (trx) =>
    claimOperation(trx, keyRing, asked, { lease: by, now: at(seconds) }),
  )
}

async function claimed(asked: OperationRequest, options: Parameters<typeof claim>[1] = {}): Promise<string> {
  const answer = await claim(asked, options)
  assert.equal(answer.kind, 'claimed')
  return answer.kind === 'claimed' ? answer.operation.operationId : ''
}

const enter = (id: string, stage: WriteStage, by = lease, seconds = 1): Promise<void> =>
  withTenant(database.db, tenantId, (trx) => enterStage(trx, id, stage, { lease: by, now: at(seconds) }))

const settle = (
  id: string,
  outcome: 'sent' | 'done' | 'unknown' | 'not_sent' | 'failed' | 'partial',
  result: Record<string, Json> = {},
): Promise<unknown> =>
  withTenant(database.db, tenantId, (trx) =>
    settleOperation(trx, id, { outcome, faultCode: null, result }, at(2)),
  )

const isFault =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.code === code

describe('the same key string again', () => {
  test('check 173: with other arguments is a conflict, also after a failure; while the first runs it is in progress', async () => {
    const asked = request()
    const id = await claimed(asked)
    const again = await claim(asked, { seconds: 5 })
    assert.deepEqual(
      [again.kind, again.kind === 'in_progress' && again.operation.operationId],
      ['in_progress', id],
    )
    const changed = { ...asked, digest: digestOf({ to: ['c@d.example'] }) }
    assert.equal((await claim(changed)).kind, 'conflict')
    await settle(id, 'not_sent')
    assert.equal((await claim(changed)).kind, 'conflict')
  })

  test('check 174: of another caller or another action is independent', async () => {
    const asked = request()
    const ids = [
      await claimed(asked),
      await claimed({ ...asked, principalId: 'key_2' }),
      await claimed({ ...asked, operation: 'draft.create' }),
    ]
    assert.equal(new Set(ids).size, 3)
  })

  test('check 175: after success is answered with what the first one gave', async () => {
    const asked = request()
    const id = await claimed(asked)
    await settle(id, 'sent', { message_id: 'm_1', accepted: 2 })
    const again = await claim(asked, { seconds: 10 })
    assert.ok(again.kind === 'replay')
    assert.deepEqual(
      [again.operation.operationId, again.operation.outcome, again.operation.result],
      [id, 'sent', { message_id: 'm_1', accepted: 2 }],
    )
  })

  test('check 177: after 24 hours is a new call', async () => {
    const asked = request()
    const id = await claimed(asked)
    await settle(id, 'sent')
    assert.equal((await claim(asked, { seconds: 24 * hour - 1 })).kind, 'replay')
    assert.notEqual(await claimed(asked, { seconds: 24 * hour }), id)
  })

  test('check 178: after not_sent or a failure runs again; after unknown it never does', async () => {
    for (const outcome of ['not_sent', 'failed'] as const) {
      const asked = request()
      const id = await claimed(asked)
      await settle(id, outcome)
      assert.notEqual(await claimed(asked, { seconds: 3 }), id)
    }
    for (const outcome of ['unknown', 'partial', 'done'] as const) {
      const asked = request()
      await settle(await claimed(asked), outcome)
      assert.equal((await claim(asked, { seconds: 3 })).kind, 'replay', outcome)
    }
  })

  test('is one call to any number of processes at once', async () => {
    const asked = request()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => claim(asked, { by: index % 2 === 0 ? lease : other })),
    )
    const kinds = answers.map(({ kind }) => kind)
    assert.equal(kinds.filter((kind) => kind === 'claimed').length, 1)
    assert.equal(kinds.filter((kind) => kind === 'in_progress').length, 49)
  })

  test('is found after the keys were rotated, and is still one call', async () => {
    const asked = request()
    const id = await claimed(asked)
    await settle(id, 'sent')
    const rotated = createKeyRing(`${generateKey()},${database.secretKeys}`)
    const again = await claim(asked, { keyRing: rotated, seconds: 3 })
    assert.ok(again.kind === 'replay')
    assert.equal(again.operation.operationId, id)
    const changed = { ...asked, digest: digestOf({ to: [] }) }
    assert.equal((await claim(changed, { keyRing: rotated })).kind, 'conflict')
  })
})

describe('a process that died', () => {
  test('before the point of no return leaves a call that did nothing and may run again', async () => {
    for (const stage of ['claim', 'source', 'compose', 'policy', 'connect', 'envelope'] as const) {
      const asked = request()
      const id = await claimed(asked)
      await enter(id, stage)
      assert.equal((await claim(asked, { by: other, seconds: 90 })).kind, 'in_progress', stage)
      assert.notEqual(await claimed(asked, { by: other, seconds: 92 }), id, stage)
      const first = await withTenant(database.db, tenantId, (trx) => getOperation(trx, 'key_1', id, at(93)))
      assert.deepEqual([first.outcome, first.faultCode], ['not_sent', 'internal_error'])
    }
  })

  test('behind it leaves a call of which nobody knows, which is never made again', async () => {
    for (const stage of ['data', 'change', 'sent_copy', 'draft_removal'] as const) {
      const asked = request()
      const id = await claimed(asked)
      await enter(id, stage)
      const again = await claim(asked, { by: other, seconds: 92 })
      assert.ok(again.kind === 'replay', stage)
      assert.deepEqual([again.operation.operationId, again.operation.outcome], [id, 'unknown'])
    }
  })

  test('loses the race at every step: whoever took over goes on, and it stops', async () => {
    const asked = request()
    const id = await claimed(asked)
    const next = await claimed(asked, { by: other, seconds: 91 })
    for (const stage of ['envelope', 'data', 'change'] as const)
      await assert.rejects(enter(id, stage, lease, 92), isFault('operation_in_progress'))
    await enter(next, 'data', other, 92)
  })

  test('of several that would take over exactly one does', async () => {
    const asked = request()
    await claimed(asked)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => claim(asked, { by: other, seconds: 91 })),
    )
    assert.equal(answers.filter(({ kind }) => kind === 'claimed').length, 1)
  })

  test('is not taken for dead while it renews its leases', async () => {
    const asked = request()
    const id = await claimed(asked)
    await withTenant(database.db, tenantId, (trx) => renewLeases(trx, [id], { lease, now: at(80) }))
    assert.equal((await claim(asked, { by: other, seconds: 100 })).kind, 'in_progress')
    assert.equal((await claim(asked, { by: other, seconds: 171 })).kind, 'claimed')
  })

  test('cannot overwrite what was told of it, but the truth behind an unknown can', async () => {
    const first = request()
    const dead = await claimed(first)
    await claimed(first, { by: other, seconds: 91 })
    await settle(dead, 'sent')
    const told = await withTenant(database.db, tenantId, (trx) => getOperation(trx, 'key_1', dead, at(93)))
    assert.equal(told.outcome, 'not_sent')

    const second = request()
    const slow = await claimed(second)
    await enter(slow, 'data')
    assert.equal((await claim(second, { seconds: 92 })).kind, 'replay')
    await settle(slow, 'sent')
    const late = await withTenant(database.db, tenantId, (trx) => getOperation(trx, 'key_1', slow, at(93)))
    assert.equal(late.outcome, 'sent')
  })
})

describe('a call without a key', () => {
  test('check 165 and 180: an equal one within ten minutes names the first, unless nothing came of that', async () => {
    const asked = request({ idempotencyKey: null, args: { subject: 'twin' } })
    const first = await claim(asked)
    assert.ok(first.kind === 'claimed')
    assert.equal(first.twinId, null)
    const second = await claim(asked, { seconds: 599 })
    assert.ok(second.kind === 'claimed')
    assert.equal(second.twinId, first.operation.operationId)
    const failed = request({ idempotencyKey: null, args: { subject: 'failed twin' } })
    await settle(await claimed(failed), 'not_sent')
    const third = await claim(failed, { seconds: 5 })
    assert.ok(third.kind === 'claimed')
    assert.equal(third.twinId, null)
    const late = await claim(asked, { seconds: 1_200 })
    assert.ok(late.kind === 'claimed')
    assert.equal(late.twinId, null)
  })
})

describe('an operation', () => {
  test('check 182: of another caller or another tenant is not found', async () => {
    const id = await claimed(request())
    const foreign = await makeTenant(database.db)
    await assert.rejects(
      withTenant(database.db, tenantId, (trx) => getOperation(trx, 'key_2', id, at(1))),
      isFault('operation_not_found'),
    )
    await assert.rejects(
      withTenant(database.db, foreign, (trx) => getOperation(trx, 'key_1', id, at(1))),
      isFault('operation_not_found'),
    )
    await assert.rejects(
      withTenant(database.db, foreign, (trx) => enterStage(trx, id, 'data', { lease, now: at(1) })),
      isFault('operation_in_progress'),
    )
  })

  test('keeps ids and counts of a large result, and says what it left out', async () => {
    const id = await claimed(request())
    await settle(id, 'partial', {
      outcome: 'partial',
      succeeded: 400,
      results: Array.from({ length: 500 }, (_, index) => ({ message_id: `m_${index}`, status: 'failed' })),
      ids: ['m_1', 'm_2'],
    })
    const { result } = await withTenant(database.db, tenantId, (trx) => getOperation(trx, 'key_1', id, at(3)))
    assert.deepEqual(result, {
      outcome: 'partial',
      succeeded: 400,
      ids: ['m_1', 'm_2'],
      results_omitted: true,
    })
  })

  test('carries its Message-ID before an octet leaves, and nobody else can set it', async () => {
    const id = await claimed(request())
    const set = (by: typeof lease): Promise<void> =>
      withTenant(database.db, tenantId, (trx) =>
        setRfcMessageId(trx, id, '<a@b.example>', { lease: by, now: at(1) }),
      )
    await set(lease)
    await assert.rejects(set(other), isFault('operation_in_progress'))
    const found = await withTenant(database.db, tenantId, (trx) => getOperation(trx, 'key_1', id, at(3)))
    assert.equal(found.rfcMessageId, '<a@b.example>')
  })

  test('check 181: that was unknown is settled by a look, any other keeps what was told', async () => {
    const resolution = { method: 'sent_folder', checkedAt: at(60), evidence: 'found by its Message-ID' }
    const resolve = (id: string): Promise<unknown> =>
      withTenant(database.db, tenantId, (trx) => resolveOperation(trx, id, { outcome: 'sent', resolution }))
    const unknown = await claimed(request())
    await settle(unknown, 'unknown')
    await resolve(unknown)
    const known = await claimed(request())
    await settle(known, 'not_sent')
    await resolve(known)
    const look = (id: string): Promise<unknown[]> =>
      withTenant(database.db, tenantId, async (trx) => {
        const found = await getOperation(trx, 'key_1', id, at(61))
        return [found.outcome, found.resolution, found.resolvedAt]
      })
    assert.deepEqual(await look(unknown), ['sent', resolution, at(60)])
    assert.deepEqual(await look(known), ['not_sent', null, null])
  })

  test('is undone once', async () => {
    const id = await claimed(request())
    const undo = (): Promise<boolean> =>
      withTenant(database.db, tenantId, (trx) => markUndone(trx, id, at(5)))
    const taken = await Promise.all([undo(), undo(), undo()])
    assert.deepEqual(taken.filter(Boolean), [true])
  })

  test('knows each of its messages before and after, in order', async () => {
    const id = await claimed(request())
    const [one, two, three] = [Buffer.from('one'), Buffer.from('two'), Buffer.from('three')]
    const save = (after: Buffer | null, status: 'done' | 'unknown'): Promise<void> =>
      withTenant(database.db, tenantId, (trx) =>
        saveOperationItems(trx, id, [
          { before: one, after: null, status: 'unknown' },
          { before: two, after, status },
        ]),
      )
    await save(null, 'unknown')
    await save(three, 'done')
    assert.deepEqual(await withTenant(database.db, tenantId, (trx) => listOperationItems(trx, id)), [
      { before: one, after: null, status: 'unknown' },
      { before: two, after: three, status: 'done' },
    ])
  })

  test('is forgotten after 30 days, with its messages', async () => {
    const old = await makeTenant(database.db)
    const asked = { ...request(), tenantId: old }
    const id = await withTenant(database.db, old, async (trx) => {
      const answer = await claimOperation(trx, database.keyRing, asked, { lease, now: at(0) })
      assert.ok(answer.kind === 'claimed')
      await saveOperationItems(trx, answer.operation.operationId, [
        { before: Buffer.from('x'), after: null, status: 'done' },
      ])
      return answer.operation.operationId
    })
    const month = 30 * 24 * hour
    assert.equal(await withTenant(database.db, old, (trx) => expireOperations(trx, at(month - 1))), 0)
    await assert.rejects(
      withTenant(database.db, old, (trx) => getOperation(trx, 'key_1', id, at(month))),
      isFault('operation_not_found'),
    )
    assert.equal(await withTenant(database.db, old, (trx) => expireOperations(trx, at(month))), 1)
  })
})
