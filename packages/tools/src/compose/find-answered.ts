import { remainingMs } from '@postern/core'
import {
  defaultSearchFolders,
  readThreadLinks,
  type Message,
  type MessageRef,
  type ReadMail,
} from '@postern/mail'
import type { ActionContext } from '../define-tool.ts'
import { settle } from '../settle.ts'

/** Longest that a draft is read later for it. */
const patienceMs = 4_000

/**
 * The message that a draft answers: one bounded search for the id that its header names. Null where it names none, or
 * where the search did not tell: a draft is read all the same.
 */
export async function findAnswered(
  draft: Message,
  mail: ReadMail,
  { call }: ActionContext,
): Promise<MessageRef | null> {
  const value = readThreadLinks(draft.headers).chain.at(-1)
  if (value === undefined) return null
  const deadline = new Date(Date.now() + Math.min(patienceMs, remainingMs(call.deadline) / 2))
  const brief = { ...call, deadline }
  const { value: page } = await settle(async () => {
    const folders = await mail.listFolders('known', brief)
    const folderIds = defaultSearchFolders(folders, { includeSpamTrash: false, isByFolder: false })
    const criterion = { kind: 'header', name: 'message-id', value } as const
    return mail.searchMessages({ criterion, folderIds }, { limit: 2, offset: 0, after: null }, brief)
  }, brief)
  const found = page?.messages.find(({ message }) => !message.flags.draft)
  return found?.message.ref ?? null
}
