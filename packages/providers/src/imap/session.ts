import type { Call, FolderId, RawText } from '@postern/mail'
import type { FolderCache } from './folder-cache.ts'
import type { SmtpSubmission } from './send-by-smtp.ts'
import type { SeenMemory } from './seen-memory.ts'
import type { SpotMemory } from './spot-memory.ts'
import type { OpenMode } from './open-folder.ts'
import type { FolderFreshness, ImapAccount, ImapPool, OpenMailbox } from './pool.ts'

/** What each verb of the adapter gets: whose mailbox, the pool to reach it, and what the owner set. */
export interface ImapSession {
  readonly account: ImapAccount
  readonly pool: ImapPool
  /** The last LIST of each inbox, for a minute, shared by all sessions of the process. */
  readonly folders: FolderCache
  /** Lower-case addresses of the owner, for `from:me`. */
  readonly ownerAddresses: readonly string[]
  /** Owner's choice where the server names no role: role to folder id. */
  readonly folderRoles: Readonly<Record<string, string>>
  /** How it sends; null or left out where its owner named no submission server. */
  readonly submission?: SmtpSubmission | null
  /** What this adapter has found and compared already. */
  readonly spots: SpotMemory
  readonly seen: SeenMemory
}

/** Leases a connection on which the folder is open, for reading unless told otherwise; see `ImapPool.withMailbox`. */
export function withFolder<T>(
  session: ImapSession,
  { folderId, view = 'any', mode = 'read' }: { folderId: FolderId; view?: FolderFreshness; mode?: OpenMode },
  call: Call,
  fn: (mailbox: OpenMailbox) => Promise<T>,
): Promise<T> {
  return session.pool.withMailbox({ account: session.account, folderId, mode, view }, call, fn)
}

/** The decoded name of a folder where it is known without asking the server, else null. */
export function knownFolderName(session: ImapSession, folderId: FolderId): RawText | null {
  return session.folders.find(session.account, folderId)?.name ?? null
}
