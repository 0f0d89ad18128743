import {
  defaultSearchFolders,
  joinThread,
  readThreadMember,
  type Call,
  type FolderId,
  type Thread,
  type ThreadRef,
} from '@postern/mail'
import { walkFolders } from '../walk-folders.ts'
import { enterFolder, enterVerb, folderNotFound, messageNotFound } from './faults.ts'
import { toFolder } from './list-folders.ts'
import type { PlacedMessage } from './mailbox.ts'
import type { MemorySession } from './session.ts'
import { toMessage } from './to-message.ts'

/** All messages are at hand: they are joined as the headers say. */
export async function listThread(session: MemorySession, thread: ThreadRef, call: Call): Promise<Thread> {
  await enterVerb(session, 'listThread', call)
  const asked = 'locator' in thread ? session.mailbox.find(thread) : null
  if (asked === null) throw messageNotFound()
  const folders = session.mailbox.folders().map((folder) => toFolder(folder, false))
  const folderIds = defaultSearchFolders(folders, { includeSpamTrash: false, isByFolder: false })
  const walk = await walkFolders(folderIds, call, (folderId) => placedIn(session, folderId, call))
  const own = new Set(session.ownAddresses.map((address) => address.toLowerCase()))
  const seed = readThreadMember(toMessage(asked), own)
  const others = walk.visited
    .flatMap(({ value }) => value)
    .filter(({ message }) => message !== asked.message)
    .map((placed) => readThreadMember(toMessage(placed), own))
  return {
    nativeThreadId: null,
    messages: joinThread([seed, ...others], seed).members.map(({ message }) => message),
    isComplete: walk.foldersFailed.length === 0,
  }
}

async function placedIn(
  session: MemorySession,
  folderId: FolderId,
  call: Call,
): Promise<readonly PlacedMessage[]> {
  await enterFolder(session, folderId, call)
  const folder = session.mailbox.findFolder(folderId)
  if (folder === undefined) throw folderNotFound()
  return folder.messages.map((message) => ({ folder, message }))
}
