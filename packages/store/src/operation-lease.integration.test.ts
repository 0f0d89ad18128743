import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import type { Claim, Operation } from '@postern/access'
import { Fault, isPastNoReturn, systemClock, writeStages, type WriteStage } from '@postern/core'
import {
  createLedgerBench,
  makePrincipal,
  makeTenant,
  startTestDatabase,
  type LedgerBench,
  type TestDatabase,
} from '@postern/fixtures'
import { createOperationLedger, type ProcessLedger } from './operation-ledger.ts'
import {
  endLeasesOfPredecessors,
  enterStage,
  makeLeaseOwner,
  renewLeases,
  resumeOperation,
  type Lease,
} from './operation-lease.ts'

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

const isFault =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.code === code
const isLost = isFault('operation_in_progress')

const revocable = writeStages.filter((stage) => !isPastNoReturn(stage))
const irrevocable = writeStages.filter(isPastNoReturn)

/** A running operation that has come so far. */
async function at(stage: WriteStage): Promise<string> {
  const id = await bench.claimed(bench.request())
  await bench.enter(id, stage)
  return id
}

describe('a process that died', () => {
  test('before the point of no return leaves a call that did nothing and may run again', async () => {
    for (const stage of revocable) {
      const asked = bench.request()
      const id = await bench.claimed(asked)
      await bench.enter(id, stage)
      const by = bench.other
      assert.equal((await bench.claim(asked, { by, seconds: 90 })).kind, 'in_progress', stage)
      assert.notEqual(await bench.claimed(asked, { by, seconds: 92 }), id, stage)
      const first = await bench.look(id)
      assert.deepEqual([first.outcome, first.faultCode], ['not_sent', 'internal_error'])
    }
  })

  test('behind it leaves a call of which nobody knows, which is never made again', async () => {
    for (const stage of irrevocable) {
      const asked = bench.request()
      const id = await bench.claimed(asked)
      await bench.enter(id, stage)
      const again = await bench.claim(asked, { by: bench.other, seconds: 92 })
      assert.ok(again.kind === 'replay', stage)
      assert.deepEqual([again.operation.operationId, again.operation.outcome], [id, 'unknown'])
    }
  })

  test('check 179: leaves nothing that runs for ever: asking ends it, also a call without a key', async () => {
    const ends = async (stage: WriteStage, operation: string): Promise<unknown> => {
      const id = await bench.claimed(bench.request({ operation, idempotencyKey: null }))
      await bench.enter(id, stage)
      assert.equal((await bench.look(id, 90)).outcome, null)
      return (await bench.look(id, 91)).outcome
    }
    assert.equal(await ends('envelope', 'email_compose.send'), 'not_sent')
    assert.equal(await ends('policy', 'draft.send'), 'not_sent')
    assert.equal(await ends('connect', 'email_organize.move'), 'failed')
    assert.equal(await ends('data', 'email_compose.reply'), 'unknown')
    assert.equal(await ends('change', 'email_organize.move'), 'unknown')
  })

  test('loses the race at every step: whoever took over goes on, and it stops', async () => {
    const asked = bench.request()
    const id = await bench.claimed(asked)
    const next = await bench.claimed(asked, { by: bench.other, seconds: 91 })
    for (const stage of writeStages) await assert.rejects(bench.enter(id, stage, bench.ours, 92), isLost)
    await bench.enter(next, 'data', bench.other, 92)
  })

  test('of several that would take over exactly one does', async () => {
    const asked = bench.request()
    await bench.claimed(asked)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        bench.claim(asked, { by: { owner: `process-${String(n + 2)}`, seconds: 90 }, seconds: 91 }),
      ),
    )
    assert.equal(answers.filter(({ kind }) => kind === 'claimed').length, 1)
  })

  test('never begins a message that whoever took over begins too', async () => {
    for (let round = 0; round < 40; round++) {
      const asked = bench.request()
      const id = await bench.claimed(asked)
      const begin = bench.enter(id, 'data', bench.ours, 92).then(
        () => true,
        () => false,
      )
      const [hasBegun, answer] = await Promise.all([
        begin,
        bench.claim(asked, { by: bench.other, seconds: 92 }),
      ])
      assert.equal(answer.kind, hasBegun ? 'in_progress' : 'claimed')
    }
  })

  test('never begins a message that whoever asks is told was not sent', async () => {
    for (let round = 0; round < 100; round++) {
      const id = await bench.claimed(bench.request())
      const begin = bench.enter(id, 'data', bench.ours, 92).then(
        () => true,
        () => false,
      )
      const [hasBegun] = await Promise.all([begin, bench.look(id, 92)])
      assert.equal((await bench.look(id, 92)).outcome, hasBegun ? null : 'not_sent')
    }
  })

  test('is not taken for dead while it renews its leases', async () => {
    const asked = bench.request()
    const id = await bench.claimed(asked)
    const renew = (lease: Lease, seconds: number): Promise<void> =>
      bench.run((trx) => renewLeases(trx, [id], { lease, now: bench.at(seconds) }))
    await renew(bench.ours, 80)
    await renew(bench.other, 160)
    assert.equal((await bench.claim(asked, { by: bench.other, seconds: 100 })).kind, 'in_progress')
    assert.equal((await bench.claim(asked, { by: bench.other, seconds: 171 })).kind, 'claimed')
    await renew(bench.ours, 172)
    assert.equal((await bench.look(id, 173)).outcome, 'not_sent')
  })

  test('cannot take back what was told of it, but proof of an effect replaces unknown', async () => {
    const first = bench.request()
    const dead = await bench.claimed(first)
    await bench.claimed(first, { by: bench.other, seconds: 91 })
    await bench.settle(dead, 'sent')
    assert.equal((await bench.look(dead)).outcome, 'not_sent')

    const slow = await at('data')
    assert.equal((await bench.look(slow)).outcome, 'unknown')
    for (const outcome of ['failed', 'not_sent'] as const) {
      await bench.settle(slow, outcome)
      assert.equal((await bench.look(slow)).outcome, 'unknown')
    }
    await bench.settle(slow, 'sent')
    assert.equal((await bench.look(slow)).outcome, 'sent')
  })
})

describe('the steps of an operation', () => {
  test('do not go back over the point of no return, so that what may have acted is not told as harmless', async () => {
    for (const reached of irrevocable) {
      const id = await at(reached)
      for (const stage of revocable) await assert.rejects(bench.enter(id, stage), isFault('internal_error'))
      assert.equal((await bench.look(id)).outcome, 'unknown', reached)
    }
  })

  test('begin one message, once', async () => {
    const id = await at('envelope')
    const begun = await Promise.allSettled([bench.enter(id, 'data'), bench.enter(id, 'data')])
    assert.deepEqual(begun.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    await bench.enter(id, 'change')
    await assert.rejects(bench.enter(id, 'data'), isFault('internal_error'))
  })

  test('may be tried again before it, and repeated on a mailbox, and the furthest is what is told', async () => {
    const id = await at('envelope')
    await bench.enter(id, 'connect')
    assert.equal((await bench.look(id, 2)).stage, 'envelope')
    for (const stage of ['data', 'sent_copy', 'change', 'change'] as const) await bench.enter(id, stage)
    assert.equal((await bench.look(id, 2)).stage, 'sent_copy')
  })

  test('carry the Message-ID before an octet leaves, and nobody else can set it', async () => {
    const id = await bench.claimed(bench.request())
    const enter = (lease: Lease, rfcMessageId: string): Promise<void> =>
      bench.run((trx) => enterStage(trx, id, 'data', { lease, now: bench.at(1), notes: { rfcMessageId } }))
    await assert.rejects(enter(bench.other, '<c@d.example>'), isLost)
    await enter(bench.ours, '<a@b.example>')
    assert.equal((await bench.look(id, 3)).rfcMessageId, '<a@b.example>')
    await bench.enter(id, 'sent_copy')
    assert.equal((await bench.look(id, 3)).rfcMessageId, '<a@b.example>')
  })

  test('begin anew for what was held, for one of any number that would go on with it', async () => {
    const id = await at('policy')
    await bench.settle(id, 'pending_approval')
    const resume = (lease: Lease): Promise<Operation | null> =>
      bench.run((trx) => resumeOperation(trx, id, { lease, now: bench.at(100) }))
    const owners = Array.from({ length: 10 }, (_, n) => ({ owner: `sweep-${String(n)}`, seconds: 90 }))
    const resumed = await Promise.all(owners.map(resume))
    const winner = owners[resumed.findIndex((one) => one !== null)]
    assert.equal(resumed.filter((one) => one !== null).length, 1)
    assert.ok(winner)
    await assert.rejects(bench.enter(id, 'data', bench.ours, 101), isLost)
    await bench.enter(id, 'data', winner, 101)
    assert.equal((await bench.look(id, 200)).outcome, 'unknown')
    assert.equal(await resume(bench.ours), null)
  })
})

describe('a process that starts again', () => {
  const claimBy = (owner: string, by = bench, seconds = 0): Promise<string> =>
    by.claimed(by.request(), { by: { owner, seconds: 90 }, seconds })
  const outcomeOf = async (id: string, by = bench): Promise<unknown> => (await by.look(id, 3)).outcome

  test('ends at once the leases that its predecessor left, of every tenant and of no other instance', async () => {
    const second = await makeTenant(database.db)
    const theirs = createLedgerBench(database, second)
    const [dead, alive, next] = ['data/a', 'data/b', 'data/a'].map(makeLeaseOwner)
    assert.ok(dead !== undefined && alive !== undefined && next !== undefined)
    const [one, two, others, own] = [
      await claimBy(dead),
      await theirs.claimed({ ...theirs.request(), tenantId: second }, { by: { owner: dead, seconds: 90 } }),
      await claimBy(alive),
      await claimBy(next),
    ]
    await bench.enter(one, 'data', { owner: dead, seconds: 90 })
    assert.equal(await endLeasesOfPredecessors(database.db, next, bench.at(2)), 2)
    assert.equal(await outcomeOf(one), 'unknown')
    assert.equal(await outcomeOf(two, theirs), 'not_sent')
    assert.equal(await outcomeOf(others), null)
    assert.equal(await outcomeOf(own), null)
    assert.equal(await endLeasesOfPredecessors(database.db, next, bench.at(2)), 0)
  })

  test('is not believed over one that lives: that takes its lease back at its next step', async () => {
    const [living, next] = ['host:1', 'host:1'].map(makeLeaseOwner)
    assert.ok(living !== undefined && next !== undefined)
    const id = await claimBy(living)
    assert.equal(await endLeasesOfPredecessors(database.db, next, bench.at(2)), 1)
    await bench.enter(id, 'envelope', { owner: living, seconds: 90 }, 2)
    assert.equal(await outcomeOf(id), null)
  })

  test('needs a name that tells its instance, or it would end the leases of all', async () => {
    await assert.rejects(endLeasesOfPredecessors(database.db, 'process', bench.at(2)), RangeError)
    assert.notEqual(makeLeaseOwner('a'), makeLeaseOwner('a'))
    assert.match(makeLeaseOwner('/a long/path of.a folder'), /^[\w-]{16}\.[0-9A-Za-z]{20}$/)
  })
})

describe('the ledger of a process', () => {
  const open = (owner: string, seconds: number): ProcessLedger => {
    const { db, keyRing } = database
    return createOperationLedger({ db, keyRing, clock: systemClock, lease: { owner, seconds } })
  }
  const claimed = (claim: Claim): Operation => {
    assert.ok(claim.kind === 'claimed')
    return claim.operation
  }

  test('keeps the lease of what runs long, and lets go of it when it is closed as a dead one would', async () => {
    const [busy, other] = [open('busy', 1), open('other', 1)]
    try {
      const asked = bench.request()
      const operation = claimed(await busy.claim(asked))
      await wait(1_600)
      assert.equal((await other.claim(asked)).kind, 'in_progress')
      await busy.enter(operation, 'connect')
      busy.close()
      await wait(1_300)
      assert.equal((await other.claim(asked)).kind, 'claimed')
      await assert.rejects(busy.enter(operation, 'data'), isLost)
    } finally {
      busy.close()
      other.close()
    }
  })

  test('tells a write from its claim to its undoing', async () => {
    const ledger = open('whole', 90)
    try {
      const principal = makePrincipal({ tenantId, principalId: 'key_1' })
      const colleague = makePrincipal({ tenantId, principalId: 'key_2' })
      const move = claimed(await ledger.claim(bench.request({ operation: 'email_organize.move' })))
      const before = Buffer.from('before')
      ledger.note(move, { items: [{ before, after: null, status: 'unknown' }] })
      await ledger.enter(move, 'connect')
      assert.deepEqual(await ledger.listItems(move), [])
      await ledger.enter(move, 'change')
      assert.deepEqual(await ledger.listItems(move), [{ before, after: null, status: 'unknown' }])
      const items = [{ before, after: Buffer.from('after'), status: 'done' }] as const
      await ledger.settle(move, { outcome: 'done', faultCode: null, result: { done: 1 } }, items)
      const told = await ledger.get(principal, move.operationId)
      assert.deepEqual([told.outcome, told.stage, told.result], ['done', 'change', { done: 1 }])
      await assert.rejects(ledger.get(colleague, move.operationId), isFault('operation_not_found'))

      const found = await ledger.find(colleague, move.operationId)
      const undo = claimed(await ledger.claim(bench.request({ principalId: 'key_2' })))
      assert.deepEqual(await ledger.listItems(found), items)
      assert.equal(await ledger.takeUndo(found, undo), true)
      assert.equal(await ledger.takeUndo(found, undo), false)
    } finally {
      ledger.close()
    }
  })

  test('learns from a look what became of an unknown send, and goes on with a held one', async () => {
    const ledger = open('looks', 90)
    try {
      const send = claimed(await ledger.claim(bench.request()))
      ledger.note(send, { rfcMessageId: '<x@y.example>' })
      await ledger.enter(send, 'data')
      await ledger.settle(send, { outcome: 'unknown', faultCode: null, result: {} }, [])
      assert.equal(await ledger.takeLook(send), true)
      assert.equal(await ledger.takeLook(send), false)
      const resolution = { method: 'sent_folder', checkedAt: new Date(), evidence: 'found' }
      const resolved = await ledger.resolve(send, 'sent', resolution, [])
      assert.deepEqual([resolved.outcome, resolved.rfcMessageId], ['sent', '<x@y.example>'])

      const held = claimed(await ledger.claim(bench.request()))
      await ledger.settle(held, { outcome: 'pending_approval', faultCode: null, result: {} }, [])
      assert.equal((await ledger.resume(held))?.outcome, null)
      assert.equal(await ledger.resume(held), null)
    } finally {
      ledger.close()
    }
  })
})
