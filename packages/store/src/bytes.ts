import { Fault } from '@postern/core'
import { open, seal, type KeyRing, type SealContext } from '@postern/vault'
import { sql } from 'kysely'
import type { TenantTrx } from './tenant.ts'

/** Octets of one piece; the last one may be shorter. */
export const chunkBytes = 1024 * 1024

/** What one tenant may keep at once. */
export interface ByteLimits {
  readonly files: number
  readonly bytes: number
}

export interface NewFile {
  readonly fileId: string
  readonly principalId: string
  /** As many octets as it may come to: they count from now on. */
  readonly maxBytes: number
  readonly now: Date
  /** Unless it is finished before. */
  readonly expiresAt: Date
}

/** A file that is whole. `header` is what its keeper wants to know of it, sealed like the rest. */
export interface FinishedFile {
  readonly header: Uint8Array
  readonly sizeBytes: number
  readonly expiresAt: Date
}

/**
 * Makes room for a file that is about to be written.
 * @throws attachment_too_large when the tenant's room is full: what is there counts until it expires.
 */
export async function beginFile(trx: TenantTrx, file: NewFile, limits: ByteLimits): Promise<void> {
  // Two that begin at once must not both find the last place free.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sealed_files:${trx.tenantId}`}, 0))`.execute(trx)
  const { files, bytes } = await trx
    .selectFrom('sealed_files')
    .select(({ fn }) => [
      fn.countAll<string>().as('files'),
      fn.coalesce(fn.sum<string>('size_bytes'), sql<string>`0`).as('bytes'),
    ])
    .where('expires_at', '>', file.now)
    .executeTakeFirstOrThrow()
  if (Number(files) >= limits.files || Number(bytes) + file.maxBytes > limits.bytes) throw full(limits)
  await trx
    .insertInto('sealed_files')
    .values({
      tenant_id: trx.tenantId,
      file_id: file.fileId,
      principal_id: file.principalId,
      size_bytes: file.maxBytes,
      created_at: file.now,
      expires_at: file.expiresAt,
    })
    .execute()
}

/** Seals one piece. Pieces are numbered from 0, and each is bound to its place. */
export async function addChunk(
  trx: TenantTrx,
  keyRing: KeyRing,
  { fileId, position }: { readonly fileId: string; readonly position: number },
  octets: Uint8Array,
): Promise<void> {
  const envelope = seal(keyRing, octets, contextOf(trx, fileId, String(position)))
  await trx
    .insertInto('sealed_chunks')
    .values({ tenant_id: trx.tenantId, file_id: fileId, position, envelope })
    .execute()
}

/** From now on it can be read. @throws source_unavailable when it expired while it was written. */
export async function finishFile(
  trx: TenantTrx,
  keyRing: KeyRing,
  fileId: string,
  { header, sizeBytes, expiresAt }: FinishedFile,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('sealed_files')
    .set({
      header: seal(keyRing, header, contextOf(trx, fileId, 'header')),
      size_bytes: sizeBytes,
      expires_at: expiresAt,
    })
    .where('file_id', '=', fileId)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) {
    throw new Fault('source_unavailable', {
      public: 'The file took too long to arrive, and nothing of it was kept. Send it again.',
    })
  }
}

/** A whole file with its header, or null: unknown, expired, unfinished, or another principal's. */
export async function readFile(
  trx: TenantTrx,
  keyRing: KeyRing,
  of: { readonly fileId: string; readonly principalId: string; readonly now: Date },
): Promise<{ readonly header: Uint8Array; readonly octets: Uint8Array } | null> {
  const file = await trx
    .selectFrom('sealed_files')
    .select(['header', 'size_bytes'])
    .where('file_id', '=', of.fileId)
    .where('principal_id', '=', of.principalId)
    .where('expires_at', '>', of.now)
    .executeTakeFirst()
  if (file === undefined || file.header === null) return null
  const rows = await trx
    .selectFrom('sealed_chunks')
    .select(['position', 'envelope'])
    .where('file_id', '=', of.fileId)
    .orderBy('position')
    .execute()
  const pieces = rows.map(({ position, envelope }) =>
    open(keyRing, envelope, contextOf(trx, of.fileId, String(position))),
  )
  const octets = Buffer.concat(pieces)
  if (octets.length !== Number(file.size_bytes)) throw incomplete(of.fileId)
  return { header: open(keyRing, file.header, contextOf(trx, of.fileId, 'header')), octets }
}

export async function dropFile(trx: TenantTrx, fileId: string): Promise<void> {
  await trx.deleteFrom('sealed_files').where('file_id', '=', fileId).execute()
}

/** Deletes files that are over, at most `limit`; whoever deletes a row has claimed it. @returns how many. */
export async function purgeFiles(trx: TenantTrx, now: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('sealed_files')
    .where('file_id', 'in', (eb) =>
      eb
        .selectFrom('sealed_files')
        .select('file_id')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** A piece of one file opens nowhere else, and at no other place of it. */
function contextOf({ tenantId }: TenantTrx, fileId: string, place: string): SealContext {
  return { tenantId, inboxId: null, purpose: `file:${fileId}:${place}` }
}

function full({ files, bytes }: ByteLimits): Fault {
  return new Fault('attachment_too_large', {
    public: `The files of this account that wait to be attached have no more room: ${String(files)} of them, or ${String(Math.floor(bytes / 1024 / 1024))} MB together. Nothing was kept; each goes a day after it came.`,
    details: { limit_files: files, limit_bytes: bytes },
  })
}

function incomplete(fileId: string): Fault {
  return new Fault('internal_error', {
    public: 'A stored file is not whole. Nothing was done; send the file again.',
    internal: `pieces of ${fileId} do not add up`,
  })
}
