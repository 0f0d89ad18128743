import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Fault, newUuid } from '@postern/core'
import { makeInbox, makeTenant, startTestDatabase, type TestDatabase } from '@postern/fixtures'
import { createKeyRing, generateKey, open, seal, sealedKeyId, type KeyRing } from '@postern/vault'
import { credentialContext, getSealed, rotateCredentials, saveCredential } from './credentials.ts'
import { getInbox, removeInbox } from './inboxes.ts'
import { withOwner } from './migrate.ts'
import { withTenant } from './tenant.ts'

let database: TestDatabase

before(async () => {
  database = await startTestDatabase()
})

after(() => database.close())

async function connect(
  tenantId: string,
  secret: string,
  keyRing: KeyRing = database.keyRing,
): Promise<string> {
  const { inboxId } = await makeInbox(database.db, tenantId)
  await save(tenantId, inboxId, secret, keyRing)
  return inboxId
}

function save(
  tenantId: string,
  inboxId: string,
  secret: string,
  keyRing: KeyRing = database.keyRing,
): Promise<number> {
  const envelope = seal(keyRing, Buffer.from(secret), credentialContext(tenantId, inboxId, 'mail'))
  return withTenant(database.db, tenantId, (trx) => saveCredential(trx, inboxId, 'mail', envelope))
}

async function reveal(
  tenantId: string,
  inboxId: string,
  keyRing: KeyRing = database.keyRing,
): Promise<string> {
  const sealed = await getSealed(database.db, tenantId, inboxId, 'mail')
  assert.ok(sealed)
  return Buffer.from(open(keyRing, sealed.envelope, credentialContext(tenantId, inboxId, 'mail'))).toString()
}

test('a credential comes back under a version that rises with each, and that its inbox carries', async () => {
  const { db } = database
  const tenantId = await makeTenant(db)
  const inboxId = await connect(tenantId, 'first')
  assert.equal(await reveal(tenantId, inboxId), 'first')
  assert.equal(await save(tenantId, inboxId, 'second'), 2)
  assert.equal(await reveal(tenantId, inboxId), 'second')
  const sealed = await getSealed(db, tenantId, inboxId, 'mail')
  const inbox = await withTenant(db, tenantId, (trx) => getInbox(trx, inboxId))
  assert.deepEqual([sealed?.version, inbox.credentialVersion], [2, 2])
})

test('the database holds no secret in clear', async () => {
  const tenantId = await makeTenant(database.db)
  await connect(tenantId, 'canary-password')
  const rows = await withOwner(
    database.superuserUrl,
    async (client) =>
      (await client.query<{ text: string }>(`select encode(envelope, 'escape') as text from credentials`))
        .rows,
  )
  assert.ok(rows.length > 0)
  assert.equal(JSON.stringify(rows).includes('canary-password'), false)
})

test('a row moved to another tenant, or to another inbox of the same one, does not open', async () => {
  const { db, superuserUrl } = database
  const [victim, thief] = [await makeTenant(db), await makeTenant(db)]
  const stolen = await connect(victim, 'the password of the victim')
  const sibling = await connect(victim, 'another')
  const target = await connect(thief, 'of the thief')
  for (const [tenantId, inboxId] of [
    [thief, target],
    [victim, sibling],
  ] as const) {
    await withOwner(superuserUrl, (client) =>
      client.query(
        `update credentials set envelope = (select envelope from credentials where inbox_id = $1) where inbox_id = $2`,
        [stolen, inboxId],
      ),
    )
    await assert.rejects(
      reveal(tenantId, inboxId),
      (error: unknown) => error instanceof Fault && error.code === 'internal_error',
    )
  }
  assert.equal(await reveal(victim, stolen), 'the password of the victim')
})

test('a credential goes with its inbox', async () => {
  const { db } = database
  const tenantId = await makeTenant(db)
  const inboxId = await connect(tenantId, 'x')
  await withTenant(db, tenantId, (trx) => removeInbox(trx, inboxId))
  assert.equal(await getSealed(db, tenantId, inboxId, 'mail'), null)
})

test('a credential of an unknown inbox is refused', async () => {
  const tenantId = await makeTenant(database.db)
  await assert.rejects(
    save(tenantId, newUuid(), 'x'),
    (error: unknown) => error instanceof Fault && error.code === 'inbox_not_found',
  )
})

test('rotation moves every credential to the new key, so that the old one can go', async () => {
  const { db, secretKeys } = database
  const tenantId = await makeTenant(db)
  const inboxes: string[] = []
  for (let index = 0; index < 105; index += 1)
    inboxes.push(await connect(tenantId, `secret ${String(index)}`))
  const fresh = generateKey()
  const both = createKeyRing(`${fresh},${secretKeys}`)
  const before0 = await getSealed(db, tenantId, inboxes[0] ?? '', 'mail')
  assert.deepEqual(await rotateCredentials(db, both, tenantId), { moved: 105, failed: 0 })
  assert.deepEqual(await rotateCredentials(db, both, tenantId), { moved: 0, failed: 0 })
  const onlyNew = createKeyRing(fresh)
  for (const [index, inboxId] of inboxes.entries()) {
    assert.equal(await reveal(tenantId, inboxId, onlyNew), `secret ${String(index)}`)
  }
  const after0 = await getSealed(db, tenantId, inboxes[0] ?? '', 'mail')
  assert.ok(before0 && after0)
  assert.equal(after0.version, before0.version)
  assert.equal(sealedKeyId(after0.envelope), onlyNew.currentKeyId)
})

test('a credential whose key is lost is counted, and the others move all the same', async () => {
  const { db, secretKeys } = database
  const tenantId = await makeTenant(db)
  await connect(tenantId, 'lost', createKeyRing(generateKey()))
  const kept = await connect(tenantId, 'kept')
  const both = createKeyRing(`${generateKey()},${secretKeys}`)
  assert.deepEqual(await rotateCredentials(db, both, tenantId), { moved: 1, failed: 1 })
  assert.equal(await reveal(tenantId, kept, both), 'kept')
})
