import { Fault } from '@postern/core'
import type { FolderId, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { enterAfterwards } from '../enter-afterwards.ts'
import { execWrite, isFailure, type WriteFailure } from './exec-write.ts'
import { refused } from './faults.ts'
import type { ListedFolder } from './folder-cache.ts'
import { listMailboxes } from './list-mailboxes.ts'
import type { ImapConnection } from './pool.ts'
import type { ImapSession } from './session.ts'
import { text, type Answer } from './wire.ts'

/** One command that changes which folders there are, and what goes with it. */
export interface FolderCommand {
  readonly command: 'CREATE' | 'RENAME' | 'DELETE'
  readonly names: (isUtf8: boolean) => readonly FolderId[]
  /** Folders that are not there any more under this id afterwards. */
  readonly isLeft: (folderId: FolderId) => boolean
  /** Runs on the same connection before the step is entered. What it throws has changed nothing. */
  readonly prepare?: (connection: ImapConnection) => Promise<void>
  /** The same once it is entered: the last look before the command leaves. */
  readonly lookAgain?: (connection: ImapConnection) => Promise<void>
  /** What follows a command that succeeded, on the same connection; its failures change nothing about that. */
  readonly follow: (connection: ImapConnection, call: WriteCall) => Promise<void>
}

/** How the command ended, and the folders as they are now; null: they could not be listed. */
export interface FolderCommandEnd {
  readonly failure: WriteFailure | null
  readonly listed: readonly ListedFolder[] | null
}

/**
 * Changes the folders and looks at them: a listing tells what became of a command whose answer was lost, and who
 * else had the name when one was refused.
 * @throws what `call.enter`, `prepare` and `lookAgain` throw, provider_*, timeout: then nothing was changed.
 */
export async function changeFolders(
  session: ImapSession,
  { command, names, isLeft, prepare, lookAgain, follow }: FolderCommand,
  call: WriteCall,
): Promise<FolderCommandEnd> {
  const { pool, account } = session
  const patient: WriteCall = {
    ...call,
    signal: new AbortController().signal,
    enter: (stage) => enterAfterwards(call, stage),
  }
  // Some servers neither rename nor delete what somebody has open.
  await pool.leaveFolders(account.inboxId, isLeft)
  const answer = await pool.withConnection(
    account,
    call,
    async (connection) => {
      await prepare?.(connection)
      const enter: WriteCall['enter'] = async (stage) => {
        await call.enter(stage)
        await lookAgain?.(connection)
      }
      const args = names(connection.isUtf8).map((name) => text(name, connection.isUtf8))
      const end = await execWrite(connection, { command, args }, { ...call, enter }, { toRefusal })
      if (!isFailure(end))
        await attempt(
          () => follow(connection, patient),
          patient,
          () => true,
        )
      return end
    },
    'write',
  )
  session.folders.drop(account.inboxId)
  await pool.leaveFolders(account.inboxId, isLeft)
  const listed = await attempt(
    () => listMailboxes(session, patient, 'now'),
    patient,
    () => true,
  )
  return {
    failure: isFailure(answer) ? answer : null,
    listed: listed instanceof Fault ? null : listed,
  }
}

const passing: ReadonlySet<string | null> = new Set([
  'UNAVAILABLE',
  'INUSE',
  'SERVERBUG',
  'LIMIT',
  'OVERQUOTA',
  'THROTTLED',
])

/** RFC 5530 3: some refusals pass; the others are of the name, or of what the owner may do. */
function toRefusal(answer: Answer, command: string): Fault {
  if (answer.status === 'BAD' || passing.has(answer.code)) return refused(answer, command)
  return new Fault('folder_provider_error', {
    public:
      'The mail server refuses this change of a folder, perhaps because of its name. Nothing was changed, and repeating does not help.',
    internal: `${command}: ${answer.status} ${answer.code ?? ''} ${answer.text}`,
  })
}

/** The server confirmed what no listing shows. */
export function unseenChange(): Fault {
  return new Fault('provider_error', {
    public:
      'The mail server confirmed the change of the folder, but a listing does not show it. Do not repeat it; folder_list shows what is there.',
    internal: 'folder change confirmed, not seen',
  })
}
