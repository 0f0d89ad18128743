import { Fault, type Log } from '@postern/core'
import { generateKey } from '@postern/vault'
import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const fileName = 'secret-keys'

/**
 * The secret keys of an installation that was given none: a file in its data folder, readable by its user alone,
 * made on the first start. Whoever loses it loses every stored mailbox password, so making it is said aloud.
 * @returns the text of `POSTERN_SECRET_KEYS`.
 * @throws internal_error when the folder cannot be used or others could read the file.
 */
export async function openKeyFile(dataDir: string, log: Log): Promise<string> {
  const path = join(dataDir, fileName)
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    return (await readKeys(path)) ?? (await makeKeys(path, log))
  } catch (error) {
    if (error instanceof Fault) throw error
    throw unusable(
      `The key file ${path} cannot be read or made. Check that this user may write there.`,
      error,
    )
  }
}

async function readKeys(path: string): Promise<string | null> {
  try {
    const { mode } = await stat(path)
    if ((mode & 0o077) !== 0) throw unusable(`Others could read the key file ${path}. Run: chmod 600 ${path}`)
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Written in full beside its place and then linked there, so that no other start reads half a file or makes a second. */
async function makeKeys(path: string, log: Log): Promise<string> {
  const keys = generateKey()
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(draft, 'wx', 0o600)
    await file.writeFile(`${keys}\n`)
    await file.sync()
    await file.close()
    await link(draft, path)
    log.warn('key_file_made', { directory: path })
    return keys
  } catch (error) {
    const made = await readKeys(path)
    if (made === null) throw error
    return made
  } finally {
    await rm(draft, { force: true })
  }
}

function unusable(text: string, cause?: unknown): Fault {
  const internal = cause instanceof Error ? cause.message : text
  return new Fault('internal_error', { public: text, internal, cause })
}
