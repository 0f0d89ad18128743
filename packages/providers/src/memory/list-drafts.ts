import type { Call, DraftPage, PageRequest } from '@postern/mail'
import { draftsFolder } from './drafts-folder.ts'
import { enterVerb } from './faults.ts'
import type { MemorySession } from './session.ts'
import { previewOf, toMessage } from './to-message.ts'

export async function listDrafts(session: MemorySession, page: PageRequest, call: Call): Promise<DraftPage> {
  await enterVerb(session, 'listDrafts', call)
  const folder = draftsFolder(session)
  const all = [...folder.messages].reverse()
  const some = all
    .slice(page.offset, page.offset + page.limit)
    .map((message) => ({ ...toMessage({ folder, message }), preview: previewOf({ folder, message }) }))
  return {
    drafts: some.map((message) => ({ draft: { ref: message.ref }, message })),
    total: all.length,
    hasMore: all.length > page.offset + some.length,
  }
}
