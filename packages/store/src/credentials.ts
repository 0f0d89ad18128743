import { Fault } from '@postern/core'
import { rotate, sealedKeyId, type KeyRing, type SealContext } from '@postern/vault'
import type { Database } from './database.ts'
import { build, compileOnce } from './statements.ts'
import { readAsTenant, withTenant, type TenantTrx } from './tenant.ts'

/** What a credential is for. One inbox may have several: reading, sending, contacts. */
export type CredentialPurpose = 'mail'

export interface SealedCredential {
  readonly envelope: Uint8Array
  /** The version that the inbox carries as `credentialVersion`. */
  readonly version: number
}

/** What a credential is sealed for; it opens only here. */
export function credentialContext(
  tenantId: string,
  inboxId: string,
  purpose: CredentialPurpose,
): SealContext {
  return { tenantId, inboxId, purpose: `credential:${purpose}` }
}

/**
 * Stores a sealed credential in place of the one before, under the next version of its inbox.
 * @throws inbox_not_found.
 */
export async function saveCredential(
  trx: TenantTrx,
  inboxId: string,
  purpose: CredentialPurpose,
  envelope: Uint8Array,
): Promise<number> {
  const inbox = await trx
    .updateTable('inboxes')
    .set((column) => ({ credential_version: column('credential_version', '+', 1) }))
    .where('inbox_id', '=', inboxId)
    .returning('credential_version')
    .executeTakeFirst()
  if (inbox === undefined) {
    throw new Fault('inbox_not_found', { public: 'There is no such inbox. Nothing was done.' })
  }
  const changed = { envelope, key_id: sealedKeyId(envelope) ?? '', version: inbox.credential_version }
  await trx
    .insertInto('credentials')
    .values({ tenant_id: trx.tenantId, inbox_id: inboxId, purpose, ...changed })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'inbox_id', 'purpose'])
        .doUpdateSet({ ...changed, updated_at: new Date() }),
    )
    .execute()
  return inbox.credential_version
}

const sealedOf = compileOnce(
  build
    .selectFrom('credentials')
    .select(['envelope', 'version'])
    .where('inbox_id', '=', '')
    .where('purpose', '=', ''),
)

/** The sealed credential of an inbox; null when it has none, or is another tenant's. */
export async function getSealed(
  db: Database,
  tenantId: string,
  inboxId: string,
  purpose: CredentialPurpose,
): Promise<SealedCredential | null> {
  const [row] = await readAsTenant(db, tenantId, sealedOf(inboxId, purpose))
  return row ?? null
}

const rotationBatch = 100

/**
 * Moves the tenant's credentials to the first key of the ring, a batch in a transaction.
 * A credential that was replaced meanwhile is left alone: it is under the first key already.
 * @returns how many were moved and how many could not be opened (their key is lost).
 */
export async function rotateCredentials(
  db: Database,
  keyRing: KeyRing,
  tenantId: string,
): Promise<{ moved: number; failed: number }> {
  let moved = 0
  let failed = 0
  let after = { inboxId: '00000000-0000-0000-0000-000000000000', purpose: '' }
  for (;;) {
    const from = after
    const rows = await withTenant(db, tenantId, (trx) => listStale(trx, keyRing.currentKeyId, from))
    for (const row of rows) {
      const context = { tenantId, inboxId: row.inbox_id, purpose: `credential:${row.purpose}` }
      const envelope = tryRotate(keyRing, row.envelope, context)
      if (envelope === null) failed += 1
      else moved += await withTenant(db, tenantId, (trx) => replace(trx, row, envelope))
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < rotationBatch) return { moved, failed }
    after = { inboxId: last.inbox_id, purpose: last.purpose }
  }
}

interface StaleRow {
  readonly inbox_id: string
  readonly purpose: string
  readonly version: number
  readonly envelope: Buffer
}

async function listStale(
  trx: TenantTrx,
  currentKeyId: string,
  after: { inboxId: string; purpose: string },
): Promise<readonly StaleRow[]> {
  return trx
    .selectFrom('credentials')
    .select(['inbox_id', 'purpose', 'version', 'envelope'])
    .where('key_id', '!=', currentKeyId)
    .where((eb) => eb(eb.refTuple('inbox_id', 'purpose'), '>', eb.tuple(after.inboxId, after.purpose)))
    .orderBy('inbox_id')
    .orderBy('purpose')
    .limit(rotationBatch)
    .execute()
}

function tryRotate(keyRing: KeyRing, envelope: Uint8Array, context: SealContext): Uint8Array | null {
  try {
    return rotate(keyRing, envelope, context)
  } catch {
    return null // counted by the caller: one lost key must not stop the others
  }
}

async function replace(trx: TenantTrx, row: StaleRow, envelope: Uint8Array): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('credentials')
    .set({ envelope, key_id: sealedKeyId(envelope) ?? '' })
    .where('inbox_id', '=', row.inbox_id)
    .where('purpose', '=', row.purpose)
    .where('version', '=', row.version)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
