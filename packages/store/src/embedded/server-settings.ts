import { open, readFile, rename, stat } from 'node:fs/promises'
import { randomBase62 } from '@postern/core'
import type { Home } from './home.ts'
import { fileFault, startFault } from './start-fault.ts'

/** What has to be remembered from one start to the next; a file of mode 0600 beside the cluster. */
export interface ServerSettings {
  /** Zero until a port was chosen. */
  readonly port: number
  readonly superuserPassword: string
  readonly ownerPassword: string
}

export const superuser = 'postgres'
export const ownerRole = 'postern_owner'
export const databaseName = 'postern'

/** @returns null when there is no such file. @throws internal_error when it cannot be read or is damaged. */
export async function readServerSettings(home: Home): Promise<ServerSettings | null> {
  let text: string
  try {
    text = await readFile(home.settingsFile, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw fileFault(home.directory, error)
  }
  const parsed = parse(text)
  if (parsed === null) {
    throw startFault('server_failed', `${home.settingsFile} is damaged. Restore it from a backup.`)
  }
  return parsed
}

/** The remembered settings, or new ones with fresh passwords, written before there is a cluster to use them. */
export async function openServerSettings(home: Home): Promise<ServerSettings> {
  const known = await readServerSettings(home)
  if (known !== null) return known
  const found = await stat(home.cluster).catch(() => null)
  if (found !== null) {
    throw startFault(
      'server_failed',
      `${home.settingsFile} is missing; it holds the passwords of the database beside it. Restore it from a backup.`,
    )
  }
  const fresh = { port: 0, superuserPassword: randomBase62(32), ownerPassword: randomBase62(32) }
  await saveServerSettings(home, fresh)
  return fresh
}

/** Replaces the file in one step: a crash leaves the old one or the new one. */
export async function saveServerSettings(home: Home, settings: ServerSettings): Promise<void> {
  const half = `${home.settingsFile}.new`
  try {
    const file = await open(half, 'w', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(settings, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(half, home.settingsFile)
  } catch (error) {
    throw fileFault(home.directory, error)
  }
}

export function serverUrl(settings: ServerSettings, role: 'owner' | 'superuser'): string {
  const [user, password, database] =
    role === 'owner'
      ? [ownerRole, settings.ownerPassword, databaseName]
      : [superuser, settings.superuserPassword, 'postgres']
  return `postgresql://${user}:${password}@127.0.0.1:${String(settings.port)}/${database}`
}

function parse(text: string): ServerSettings | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null // the caller says that the file is damaged
  }
  if (typeof value !== 'object' || value === null) return null
  const { port, superuserPassword, ownerPassword } = value as Partial<Record<string, unknown>>
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 0 || port > 65_535) return null
  if (typeof superuserPassword !== 'string' || typeof ownerPassword !== 'string') return null
  return { port, superuserPassword, ownerPassword }
}
