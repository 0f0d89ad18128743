import { Fault } from '@postern/core'
import type { Call, FolderId, ListPage, PageRequest } from '@postern/mail'
import { enterFolder, enterVerb, folderNotFound } from './faults.ts'
import { unpackLocator } from './mailbox.ts'
import type { MemorySession } from './session.ts'
import { toRow } from './to-message.ts'

export async function listMessages(
  session: MemorySession,
  { folderId, isUnreadOnly }: { folderId: FolderId; isUnreadOnly: boolean },
  page: PageRequest,
  call: Call,
): Promise<ListPage> {
  await enterVerb(session, 'listMessages', call)
  await enterFolder(session, folderId, call)
  const folder = session.mailbox.findFolder(folderId)
  if (folder?.isSelectable !== true) throw folderNotFound()

  const newestFirst = folder.messages
    .map((message, index) => ({ folder, message, rank: index + 1 }))
    .filter(({ message }) => !(isUnreadOnly && message.flags.seen))
    .reverse()
  const last = page.after === null ? null : unpackLocator({ locator: Buffer.from(page.after.tie, 'hex') })
  if (page.after !== null && last?.epoch !== folder.epoch) throw cursorExpired()
  // By number, not by position: what arrived or left meanwhile moves positions, never numbers.
  const behind =
    last === null ? newestFirst : newestFirst.filter(({ message }) => message.number < last.number)
  const rows = behind.slice(page.offset, page.offset + page.limit)
  return {
    messages: rows.map((placed) => toRow(session, placed, placed.rank)),
    total: newestFirst.length,
    hasMore: behind.length > page.offset + page.limit,
  }
}

function cursorExpired(): Fault {
  return new Fault('cursor_expired', {
    public:
      'The folder was rebuilt by its server since this cursor was made. Start again without the cursor.',
  })
}
