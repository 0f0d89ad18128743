import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AuditEvent } from '@postern/access'
import { createLog, newId, newUuid, silentLog } from '@postern/core'
import { makeTenant, startTestDatabase, type TestDatabase } from '@postern/fixtures'
import { createAuditWriter, listAuditEvents } from './audit-events.ts'
import { withOwner } from './migrate.ts'
import { withTenant } from './tenant.ts'

let database: TestDatabase

before(async () => {
  database = await startTestDatabase()
})

after(() => database.close())

function event(tenantId: string, given: Partial<AuditEvent> = {}): AuditEvent {
  return {
    eventId: newId('evt'),
    tenantId,
    principalId: 'key_1',
    inboxId: null,
    requestId: 'request',
    operation: 'email_read.list',
    effect: 'read',
    outcome: 'ok',
    faultCode: null,
    durationMs: 12,
    at: new Date('2026-11-30T12:00:00.123Z'),
    ...given,
  }
}

const list = (tenantId: string, limit = 1_000): Promise<readonly AuditEvent[]> =>
  withTenant(database.db, tenantId, (trx) => listAuditEvents(trx, { limit }))

test('an event comes back as it was added, to the millisecond', async () => {
  const tenantId = await makeTenant(database.db)
  const audit = createAuditWriter(database.db, silentLog)
  const given = event(tenantId, {
    inboxId: newUuid(),
    outcome: 'denied',
    faultCode: 'insufficient_scope',
    effect: 'send',
  })
  audit.add(given)
  await audit.close()
  assert.deepEqual(await list(tenantId), [given])
})

test('events of many tenants in one batch arrive with their own tenant', async () => {
  const tenants = await Promise.all(Array.from({ length: 5 }, () => makeTenant(database.db)))
  const audit = createAuditWriter(database.db, silentLog)
  const events = Array.from({ length: 450 }, (_, index) => event(tenants[index % 5] ?? ''))
  for (const one of events) audit.add(one)
  await audit.close()
  for (const tenantId of tenants) {
    const ids = (await list(tenantId)).map(({ eventId }) => eventId).toSorted()
    const own = events.filter((one) => one.tenantId === tenantId)
    assert.deepEqual(ids, own.map(({ eventId }) => eventId).toSorted())
  }
  assert.equal(audit.lost, 0)
})

test('hostile text in an event costs neither it nor the rest of the batch', async () => {
  const tenantId = await makeTenant(database.db)
  const audit = createAuditWriter(database.db, silentLog)
  audit.add(event(tenantId, { operation: `x\u0000${'y'.repeat(500)}\uD800`, requestId: '\u0000' }))
  audit.add(event(tenantId, { inboxId: 'not a uuid', durationMs: 1e12, principalId: '\u0007bell' }))
  audit.add(event(tenantId, { durationMs: -1 }))
  audit.add(event(tenantId))
  await audit.close()
  assert.equal((await list(tenantId)).length, 4)
  assert.equal(audit.lost, 0)
})

test('what the database refuses is counted, and the events of other tenants are kept', async () => {
  const tenantId = await makeTenant(database.db)
  const lines: string[] = []
  const audit = createAuditWriter(
    database.db,
    createLog('error', (line) => void lines.push(line)),
  )
  audit.add(event(newUuid()))
  audit.add(event(newUuid()))
  audit.add(event(tenantId))
  await audit.close()
  assert.equal(audit.lost, 2)
  assert.equal((await list(tenantId)).length, 1)
  assert.equal(lines.filter((line) => line.includes('audit_events_lost')).length, 1)
})

test('an event that is added twice is one row', async () => {
  const tenantId = await makeTenant(database.db)
  const same = event(tenantId)
  for (let time = 0; time < 2; time += 1) {
    const audit = createAuditWriter(database.db, silentLog)
    audit.add(same)
    await audit.close()
    assert.equal(audit.lost, 0)
  }
  assert.deepEqual(await list(tenantId), [same])
})

test('connections that break under the writer cost no event', async () => {
  const tenantId = await makeTenant(database.db)
  const audit = createAuditWriter(database.db, silentLog)
  for (let round = 0; round < 10; round += 1) {
    audit.add(event(tenantId))
    const ended = withOwner(database.superuserUrl, (client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'postern_app' and datname = current_database()`,
      ),
    )
    await Promise.all([audit.flush(), ended])
  }
  for (let attempt = 0; attempt < 5; attempt += 1) await audit.flush()
  await audit.close()
  assert.equal(audit.lost, 0)
  assert.equal((await list(tenantId)).length, 10)
})

test('events are listed newest first by pages that lose none and repeat none', async () => {
  const tenantId = await makeTenant(database.db)
  const audit = createAuditWriter(database.db, silentLog)
  // Several of one instant: the id decides among them.
  for (let index = 0; index < 10; index += 1) {
    audit.add(event(tenantId, { at: new Date(Date.UTC(2026, 10, 1 + Math.floor(index / 4))) }))
  }
  await audit.close()
  const seen: AuditEvent[] = []
  for (;;) {
    const after = seen.at(-1)
    const page = await withTenant(database.db, tenantId, (trx) =>
      listAuditEvents(trx, { limit: 3, ...(after === undefined ? {} : { after }) }),
    )
    if (page.length === 0) break
    seen.push(...page)
  }
  assert.deepEqual(seen, await list(tenantId))
  assert.equal(new Set(seen.map(({ eventId }) => eventId)).size, 10)
  const times = seen.map(({ at }) => at.getTime())
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  )
})

test('an event of a month without a partition is kept too', async () => {
  const tenantId = await makeTenant(database.db)
  const audit = createAuditWriter(database.db, silentLog)
  audit.add(event(tenantId, { at: new Date('2035-06-01T00:00:00Z') }))
  await audit.close()
  assert.equal((await list(tenantId)).length, 1)
})
