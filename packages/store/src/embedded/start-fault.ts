import { Fault } from '@postern/core'

/** Why the embedded server did not start. */
export type StartReason =
  | 'binaries_missing'
  | 'binaries_unusable'
  | 'cluster_version'
  | 'data_folder_in_use'
  | 'data_folder_unreachable'
  | 'data_folder_unwritable'
  | 'disk_full'
  | 'no_system_user'
  | 'port_in_use'
  | 'server_failed'
  | 'server_lingers'
  | 'unsupported_system'

/** A text for the operator, who reads it in a terminal; `internal` is what the system or PostgreSQL said. */
export function startFault(reason: StartReason, text: string, internal?: string): Fault {
  return new Fault('internal_error', {
    public: text,
    ...(internal === undefined ? {} : { internal: `${reason}: ${internal.slice(-400)}` }),
    details: { reason },
  })
}

/** A failed file operation or command, by what the operator has to do about it. */
export function fileFault(directory: string, error: unknown): Fault {
  if (error instanceof Fault) return error
  return explainOutput(directory, error instanceof Error ? error.message : String(error))
}

const unwritable =
  /EACCES|EPERM|EROFS|Permission denied|Operation not permitted|Read-only file system|unable to open database file|readonly database/

/**
 * The Fault behind an error text of the system, initdb or the server. Texts are those of strerror(3) and of
 * PostgreSQL with `lc_messages` C, which is how both are run, or of SQLite, which holds the lock.
 */
export function explainOutput(directory: string, text: string): Fault {
  if (
    /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|database or disk is full|Check free disk space/.test(
      text,
    )
  ) {
    return startFault(
      'disk_full',
      `The disk that holds ${directory} is full. Nothing was lost; free some space and start again.`,
      text,
    )
  }
  if (unwritable.test(text)) {
    return startFault(
      'data_folder_unwritable',
      `The data folder ${directory} cannot be written by this user. Change its owner, or set POSTERN_DATA_DIR.`,
      text,
    )
  }
  if (/error while loading shared libraries|Library not loaded/.test(text)) {
    return startFault(
      'binaries_unusable',
      'The PostgreSQL binaries lack their library links, which an install script makes. ' +
        'Run `npm rebuild` in this folder with scripts allowed, or set DATABASE_URL to a server of your own.',
      text,
    )
  }
  if (text.includes('pre-existing shared memory block')) {
    return startFault(
      'server_lingers',
      `What a killed PostgreSQL left behind in ${directory} has not ended yet. Start again in a moment.`,
      text,
    )
  }
  return startFault(
    'server_failed',
    `The embedded PostgreSQL in ${directory} did not start. Its own words stand in the log.`,
    text,
  )
}
