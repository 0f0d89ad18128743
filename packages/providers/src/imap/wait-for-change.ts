import type { Call, FolderId } from '@postern/mail'
import { Signs } from '../signs.ts'
import type { ImapSession } from './session.ts'

/** Looks whenever the watch of the inbox gives a sign, and where it cannot stand, every few seconds. */
export async function waitForChange<T>(
  { pool, account }: ImapSession,
  folderIds: readonly FolderId[],
  look: () => Promise<T | null>,
  call: Call,
): Promise<T | null> {
  const signs = new Signs()
  const leave = pool.watch(account, folderIds, () => signs.give())
  try {
    return await signs.answer(look, call)
  } finally {
    leave()
  }
}
