import { Fault, remainingMs } from '@postern/core'
import {
  defaultSearchFolders,
  type Call,
  type FolderId,
  type Message,
  type MessageRef,
  type Thread,
  type ThreadRef,
} from '@postern/mail'
import { attempt } from '../attempt.ts'
import { walkFolders } from '../walk-folders.ts'
import { messageNotFound } from './faults.ts'
import { getMessages } from './get-messages.ts'
import { listFolders } from './list-folders.ts'
import { listNativeThread } from './list-native-thread.ts'
import { withFolder, type ImapSession } from './session.ts'
import { ThreadSearch } from './thread-search.ts'

/** Rounds through the folders: what is found late may have answers in a folder that was searched early. */
const maxPasses = 4

/**
 * The conversation of a message, over all folders but Spam and Trash. Where the server keeps conversations, it is the
 * server's own; else it is found by searches of headers, folder by folder until nothing new turns up.
 *
 * THREAD (RFC 5256) is not used: it orders a folder as a whole, for which a server that keeps no headers at hand
 * takes minutes, says nothing of other folders, and joins by subject what no header joins.
 * @throws message_not_found, provider_*, timeout.
 */
export async function listThread(session: ImapSession, thread: ThreadRef, call: Call): Promise<Thread> {
  const seed = 'locator' in thread ? await readSeed(session, thread, call) : null
  const nativeThreadId = 'locator' in thread ? (seed?.nativeThreadId ?? null) : thread.nativeThreadId
  // Whoever asked still has to read what is found.
  const reserveMs = Math.min(6_000, remainingMs(call.deadline) / 4)
  const soon: Call = { ...call, deadline: new Date(call.deadline.getTime() - reserveMs) }
  const folderIds = await foldersToWalk(session, seed, soon)
  const native =
    nativeThreadId === null
      ? null
      : await listNativeThread(session, { nativeThreadId, seed, folderIds }, soon)
  if (native !== null) return native
  if (seed === null) throw messageNotFound()
  return deriveThread(session, { seed, folderIds }, soon)
}

async function readSeed(session: ImapSession, ref: MessageRef, call: Call): Promise<Message> {
  const [found] = await getMessages(session, [ref], call)
  if (found?.isFound === true) return found.value
  throw found?.fault ?? messageNotFound()
}

/** The folder of the message itself comes first, where that is one to search: most of its conversation is there. */
async function foldersToWalk(
  session: ImapSession,
  seed: Message | null,
  call: Call,
): Promise<readonly FolderId[]> {
  const folders = await listFolders(session, 'known', call)
  const folderIds = defaultSearchFolders(folders, { includeSpamTrash: false, isByFolder: false })
  const own = folderIds.filter((folderId) => folderId === seed?.folderId)
  return [...new Set([...own, ...folderIds])]
}

async function deriveThread(
  session: ImapSession,
  { seed, folderIds }: { readonly seed: Message; readonly folderIds: readonly FolderId[] },
  call: Call,
): Promise<Thread> {
  const search = new ThreadSearch(seed, session.ownerAddresses)
  const failed = new Set<FolderId>()
  const left = (): readonly FolderId[] =>
    folderIds.filter((folderId) => !failed.has(folderId) && !search.isDone(folderId))
  for (let pass = 0; pass < maxPasses && left().length > 0; pass++) {
    const walk = await attempt(
      () =>
        walkFolders(left(), call, (folderId) =>
          withFolder(session, { folderId, view: 'now' }, call, (mailbox) => search.lookInto(mailbox)),
        ),
      call,
      // Part of a conversation that says it is one is more use than none.
      ({ code }) => search.hasFound && code !== 'inbox_reconnect_required',
    )
    if (walk instanceof Fault) break
    for (const { folderId } of walk.foldersFailed) failed.add(folderId)
  }
  return {
    nativeThreadId: null,
    messages: search.members.map(({ message }) => message),
    isComplete: failed.size === 0 && left().length === 0 && search.isWhole,
  }
}
