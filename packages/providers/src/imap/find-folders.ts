import type { Call, FolderId } from '@postern/mail'
import type { ListedFolder } from './folder-cache.ts'
import { isSelectable } from './folder-roles.ts'
import { listMailboxes } from './list-mailboxes.ts'
import { folderDigest } from './locator.ts'
import type { ImapSession } from './session.ts'

const inboxDigest = folderDigest('INBOX')

// Digests of a listing, made once for as long as the listing itself is remembered.
const digests = new WeakMap<readonly ListedFolder[], ReadonlyMap<string, FolderId>>()

/**
 * Folder ids by the digests that locators hold; a folder that is no more is missing. INBOX needs no LIST. A
 * digest that the remembered listing does not know may be of a newer folder, so the listing is made anew once.
 * @throws provider_*, timeout.
 */
export async function findFolders(
  session: ImapSession,
  wanted: ReadonlySet<string>,
  call: Call,
): Promise<ReadonlyMap<string, FolderId>> {
  if ([...wanted].every((digest) => digest === inboxDigest)) return new Map([[inboxDigest, 'INBOX']])
  const wasKnown = session.folders.get(session.account) !== null
  const known = digestsOf(await listMailboxes(session, call))
  if (!wasKnown || [...wanted].every((digest) => known.has(digest))) return known
  return digestsOf(await listMailboxes(session, call, 'now'))
}

function digestsOf(folders: readonly ListedFolder[]): ReadonlyMap<string, FolderId> {
  const made =
    digests.get(folders) ??
    new Map<string, FolderId>([
      [inboxDigest, 'INBOX'],
      ...folders
        .filter(({ attributes }) => isSelectable(attributes))
        .map(({ folderId }) => [folderDigest(folderId), folderId] as const),
    ])
  digests.set(folders, made)
  return made
}
