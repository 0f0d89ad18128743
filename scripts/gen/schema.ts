import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '@postern/core'
import { createKeyRing, generateKey } from '@postern/vault'
import { startEmbedded } from '../../packages/store/src/embedded.ts'
import { generateSchema } from '../../packages/store/src/generate-schema.ts'
import { migrate } from '../../packages/store/src/migrate.ts'
import type { GeneratedFile } from './generated-file.ts'

/** The tables' types, from a database that has just been migrated from nothing. */
export async function generateStoreSchema(): Promise<readonly GeneratedFile[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postern-gen-'))
  const database = await startEmbedded({ dataDir, log: silentLog, settings: { fsync: 'off' } })
  try {
    await migrate(database.ownerUrl, { keyRing: createKeyRing(generateKey()) })
    return [{ path: 'packages/store/src/schema.ts', content: await generateSchema(database.ownerUrl) }]
  } finally {
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
