import type { Principal } from '@postern/access'
import { Fault, newId, type Clock } from '@postern/core'
import {
  addChunk,
  beginFile,
  chunkBytes,
  dropFile,
  finishFile,
  readFile,
  withTenant,
  type Database,
} from '@postern/store'
import type { UploadShelf } from '@postern/tools'
import type { KeyRing } from '@postern/vault'
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { inPieces } from './in-pieces.ts'
import { maxUploadBytes, uploadTooLarge, type Uploads } from './upload.ts'

export interface UploadShelfDeps {
  readonly db: Database
  readonly keyRing: KeyRing
  readonly clock: Clock
}

/** A file that is not whole after this is given up. */
const arrivalMs = 10 * 60_000
const keptMs = 24 * 3_600_000

/** What one tenant may have waiting. */
const limits = { files: 200, bytes: 500 * 1024 * 1024 } as const

const header = z.strictObject({ filename: z.string(), mime_type: z.string(), sha256: z.string() })

/**
 * Files that wait in the database, sealed piece by piece as they arrive: no more than a piece of one is in memory, and
 * no transaction waits for a client.
 */
export function createUploadShelf({ db, keyRing, clock }: UploadShelfDeps): Uploads & UploadShelf {
  return {
    async put(principal, { filename, mimeType, sizeBytes: announced }, octets) {
      const { tenantId, principalId } = principal
      const uploadId = newId('up')
      const now = clock.now()
      const place = {
        fileId: uploadId,
        principalId,
        maxBytes: announced ?? maxUploadBytes,
        now,
        expiresAt: new Date(now.getTime() + arrivalMs),
      }
      await withTenant(db, tenantId, (trx) => beginFile(trx, place, limits))
      try {
        const { sizeBytes, sha256 } = await store({ db, keyRing, tenantId, uploadId }, octets)
        const expiresAt = new Date(clock.now().getTime() + keptMs)
        const text = JSON.stringify({ filename, mime_type: mimeType, sha256 })
        const finished = { header: Buffer.from(text), sizeBytes, expiresAt }
        await withTenant(db, tenantId, (trx) => finishFile(trx, keyRing, uploadId, finished))
        return { uploadId, sizeBytes, sha256, expiresAt }
      } catch (error) {
        await withTenant(db, tenantId, (trx) => dropFile(trx, uploadId))
        throw error
      }
    },
    async get({ tenantId, principalId }: Principal, uploadId) {
      const of = { fileId: uploadId, principalId, now: clock.now() }
      const isId = /^up_[0-9A-Za-z]{20}$/.test(uploadId)
      const file = isId ? await withTenant(db, tenantId, (trx) => readFile(trx, keyRing, of)) : null
      if (file === null) throw notThere()
      const { filename, mime_type: mimeType } = header.parse(
        JSON.parse(Buffer.from(file.header).toString('utf8')),
      )
      return { filename, mimeType, octets: file.octets }
    },
  }
}

interface Place {
  readonly db: Database
  readonly keyRing: KeyRing
  readonly tenantId: string
  readonly uploadId: string
}

async function store(
  { db, keyRing, tenantId, uploadId }: Place,
  octets: AsyncIterable<Uint8Array>,
): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  let position = 0
  for await (const piece of inPieces(octets, chunkBytes)) {
    sizeBytes += piece.length
    if (sizeBytes > maxUploadBytes) throw uploadTooLarge()
    hash.update(piece)
    const at = { fileId: uploadId, position }
    await withTenant(db, tenantId, (trx) => addChunk(trx, keyRing, at, piece))
    position += 1
  }
  if (sizeBytes === 0) throw empty()
  return { sizeBytes, sha256: hash.digest('hex') }
}

function empty(): Fault {
  return new Fault('invalid_arguments', {
    public: 'The body is empty: send the file itself as the body of the request. Nothing was kept.',
    details: { argument: 'body' },
  })
}

function notThere(): Fault {
  return new Fault('attachment_not_found', {
    public:
      'There is no upload of that upload_id for this key: it was never made, or its 24 hours are over. POST /api/v1/uploads takes the file again. Nothing was sent.',
    details: { argument: 'upload_id' },
  })
}
