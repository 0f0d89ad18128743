import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Home } from './home.ts'
import { fileFault, startFault } from './start-fault.ts'

export interface DataLock {
  release(): void
}

// SQLite's primary result code for a lock that another connection holds.
const sqliteBusy = 5

/**
 * Takes the data folder for this process, or fails at once. The lock is an open transaction of SQLite on an
 * empty file, which is the one file lock Node has: the kernel drops it with the process, also after kill -9,
 * so that there is no stale lock to judge by process numbers that may have been reused.
 * @throws internal_error, reason `data_folder_in_use`.
 */
export function takeDataLock(home: Home): DataLock {
  const pidFile = `${home.lockFile}.pid`
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(home.lockFile, { timeout: 0 })
    database.exec('begin exclusive')
    writeFileSync(pidFile, `${String(process.pid)}\n`)
  } catch (error) {
    database?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) {
      throw startFault(
        'data_folder_in_use',
        `Another Postern${holder(pidFile)} already uses this data folder (${home.directory}). ` +
          'Stop it, or give this one its own POSTERN_DATA_DIR and port.',
      )
    }
    throw fileFault(home.directory, error)
  }
  const held = database
  return {
    release: () => {
      if (held.isOpen) held.close()
    },
  }
}

function holder(pidFile: string): string {
  try {
    const pid = readFileSync(pidFile, 'utf8').trim()
    return /^\d{1,10}$/.test(pid) ? ` (process ${pid})` : ''
  } catch {
    return '' // only the text of a refusal gets poorer
  }
}
