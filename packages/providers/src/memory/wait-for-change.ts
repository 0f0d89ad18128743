import type { Call, FolderId } from '@postern/mail'
import { Signs } from '../signs.ts'
import { enterVerb } from './faults.ts'
import type { MemorySession } from './session.ts'

export async function waitForChange<T>(
  session: MemorySession,
  _folderIds: readonly FolderId[],
  look: () => Promise<T | null>,
  call: Call,
): Promise<T | null> {
  await enterVerb(session, 'waitForChange', call)
  const signs = new Signs()
  // Of any folder: a look that was for nothing costs nothing here.
  const leave = session.mailbox.onArrival(() => signs.give())
  signs.give()
  try {
    return await signs.answer(look, call)
  } finally {
    leave()
  }
}
