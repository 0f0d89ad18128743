import { silentLog } from '@postern/core'
import { createKeyRing } from '@postern/vault'
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openKeyFile } from './key-file.ts'

describe('the key file', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-keys-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('is made once, for its user alone, and read from then on', async () => {
    const dataDir = join(folder, 'new', 'data')
    const first = await openKeyFile(dataDir, silentLog)
    assert.equal(await openKeyFile(dataDir, silentLog), first)
    assert.equal((await stat(join(dataDir, 'secret-keys'))).mode & 0o777, 0o600)
    assert.deepEqual(await readdir(dataDir), ['secret-keys'])
    assert.doesNotThrow(() => createKeyRing(first))
  })

  it('is the same for two starts at once', async () => {
    const dataDir = join(folder, 'race')
    const keys = await Promise.all(Array.from({ length: 8 }, () => openKeyFile(dataDir, silentLog)))
    assert.equal(new Set(keys).size, 1)
  })

  it('is refused when others could read it', async () => {
    const dataDir = join(folder, 'open')
    await openKeyFile(dataDir, silentLog)
    await chmod(join(dataDir, 'secret-keys'), 0o644)
    await assert.rejects(openKeyFile(dataDir, silentLog), /chmod 600/)
  })

  it('cannot be made where the folder is a file, and that is said', async () => {
    await writeFile(join(folder, 'plain'), '')
    await assert.rejects(openKeyFile(join(folder, 'plain'), silentLog), { code: 'internal_error' })
  })
})
