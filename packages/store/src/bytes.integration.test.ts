import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Fault, newId } from '@postern/core'
import { makeTenant, startTestDatabase, type TestDatabase } from '@postern/fixtures'
import { addChunk, beginFile, dropFile, finishFile, purgeFiles, readFile, type ByteLimits } from './bytes.ts'
import { withOwner } from './migrate.ts'
import { listTenantsOfExpired } from './system.ts'
import { withTenant } from './tenant.ts'

let database: TestDatabase
let tenantId = ''

before(async () => {
  database = await startTestDatabase()
  tenantId = await makeTenant(database.db)
})

after(() => database.close())

const now = new Date('2026-12-01T00:00:00Z')
const later = new Date('2026-12-02T00:00:00Z')
const limits: ByteLimits = { files: 3, bytes: 10_000 }
const principalId = 'key_a'

async function begin(of: string, maxBytes = 100, expiresAt = later): Promise<string> {
  const fileId = newId('up')
  const file = { fileId, principalId, maxBytes, now, expiresAt }
  await withTenant(database.db, of, (trx) => beginFile(trx, file, limits))
  return fileId
}

/** Puts a whole file of these pieces. */
async function keep(of: string, pieces: readonly Uint8Array[], expiresAt = later): Promise<string> {
  const { db, keyRing } = database
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const fileId = await begin(of, sizeBytes)
  for (const [position, piece] of pieces.entries())
    await withTenant(db, of, (trx) => addChunk(trx, keyRing, { fileId, position }, piece))
  const finished = { header: Buffer.from('name'), sizeBytes, expiresAt }
  await withTenant(db, of, (trx) => finishFile(trx, keyRing, fileId, finished))
  return fileId
}

const read = (of: string, fileId: string, as = principalId, at = now): ReturnType<typeof readFile> =>
  withTenant(database.db, of, (trx) => readFile(trx, database.keyRing, { fileId, principalId: as, now: at }))

const isFault =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.code === code

test('pieces come back as one, byte for byte, and lie sealed', async () => {
  const pieces = [randomBytes(3_000), Buffer.from('The words of a secret plan'), randomBytes(1)]
  const fileId = await keep(tenantId, pieces)
  const file = await read(tenantId, fileId)
  assert.ok(file !== null)
  assert.deepEqual(Buffer.from(file.octets), Buffer.concat(pieces))
  assert.equal(Buffer.from(file.header).toString(), 'name')
  const stored = await withOwner(database.superuserUrl, async (client) =>
    client.query<{ envelope: Buffer }>(
      'select envelope from sealed_chunks where file_id = $1 union all select header from sealed_files where file_id = $1',
      [fileId],
    ),
  )
  assert.equal(stored.rows.length, 4)
  for (const { envelope } of stored.rows) assert.doesNotMatch(envelope.toString('latin1'), /secret plan|name/)
})

test('another tenant, another key, a later day and a file that is not whole find nothing', async () => {
  const other = await makeTenant(database.db)
  const fileId = await keep(tenantId, [Buffer.from('x')])
  assert.equal(await read(other, fileId), null)
  assert.equal(await read(tenantId, fileId, 'key_b'), null)
  assert.equal(await read(tenantId, fileId, principalId, later), null)
  assert.equal(await read(tenantId, await begin(await makeTenant(database.db))), null)
  const fresh = await makeTenant(database.db)
  assert.equal(await read(fresh, await begin(fresh)), null)
})

test('a piece that was moved to another place or file does not open', async () => {
  const of = await makeTenant(database.db)
  const fileId = await keep(of, [Buffer.from('first'), Buffer.from('other')])
  await withOwner(database.superuserUrl, (client) =>
    client.query('update sealed_chunks set position = 7 - position where file_id = $1', [fileId]),
  )
  await assert.rejects(read(of, fileId), isFault('internal_error'))
})

test('room is taken by what may come, per tenant, and two at once do not share the last of it', async () => {
  const of = await makeTenant(database.db)
  await begin(of, 9_000)
  await assert.rejects(begin(of, 1_001), isFault('attachment_too_large'))
  const both = await Promise.allSettled([begin(of, 600), begin(of, 600)])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  await begin(await makeTenant(database.db), 10_000)
  const many = await makeTenant(database.db)
  for (let n = 0; n < limits.files; n += 1) await begin(many, 1)
  await assert.rejects(begin(many, 1), isFault('attachment_too_large'))
})

test('what is dropped or purged is gone with its pieces; purging takes only what is over, within its bound', async () => {
  const of = await makeTenant(database.db)
  const { db } = database
  const past = new Date(now.getTime() - 1)
  const kept = await keep(of, [Buffer.from('kept')])
  const gone = [await keep(of, [Buffer.from('a')], past), await keep(of, [Buffer.from('b')], past)]
  assert.ok((await listTenantsOfExpired(db, now, 100)).includes(of))
  assert.equal(await withTenant(db, of, (trx) => purgeFiles(trx, now, 1)), 1)
  assert.equal(await withTenant(db, of, (trx) => purgeFiles(trx, now, 10)), 1)
  assert.equal(await withTenant(db, of, (trx) => purgeFiles(trx, now, 10)), 0)
  assert.equal((await listTenantsOfExpired(db, now, 100)).includes(of), false)
  assert.notEqual(await read(of, kept), null)
  await withTenant(db, of, (trx) => dropFile(trx, kept))
  const { rows } = await withOwner(database.superuserUrl, (client) =>
    client.query('select from sealed_chunks where file_id = any($1)', [[kept, ...gone]]),
  )
  assert.equal(rows.length, 0)
})

test('a file that expired while it was written is not finished', async () => {
  const of = await makeTenant(database.db)
  const fileId = await begin(of)
  await withTenant(database.db, of, (trx) => dropFile(trx, fileId))
  const finished = { header: Buffer.from(''), sizeBytes: 0, expiresAt: later }
  await assert.rejects(
    withTenant(database.db, of, (trx) => finishFile(trx, database.keyRing, fileId, finished)),
    isFault('source_unavailable'),
  )
})
