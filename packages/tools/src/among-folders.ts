import { Fault } from '@postern/core'
import type { Call, Folder, ReadMail } from '@postern/mail'

/**
 * What `choose` makes of the mailbox's folders. The listing may be a minute old, so that a name usually costs nothing;
 * one that no folder answers to may be of a newer folder, and then the mail server is asked.
 * @throws what `choose` throws over the folders as they are now; provider_*, timeout.
 */
export async function amongFolders<T>(
  mail: ReadMail,
  call: Call,
  choose: (folders: readonly Folder[]) => T,
): Promise<T> {
  const known = await mail.listFolders('known', call)
  try {
    return choose(known)
  } catch (error) {
    if (!(error instanceof Fault) || !isMiss(error)) throw error
  }
  return choose(await mail.listFolders('now', call))
}

function isMiss({ code }: Fault): boolean {
  return code === 'folder_not_found' || code === 'folder_role_missing'
}
