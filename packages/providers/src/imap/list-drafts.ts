import { draftHeaders, type Call, type DraftPage, type PageRequest } from '@postern/mail'
import { draftsFolder } from './drafts-folder.ts'
import { requireOk } from './faults.ts'
import { fetchRows, withRowWish } from './fetch-rows.ts'
import { searchNumbers } from './search-numbers.ts'
import { withFolder, type ImapSession } from './session.ts'
import { atom } from './wire.ts'

/** The stored drafts, newest first: UNDELETED ones, since a server may be unable to remove what was replaced. */
export async function listDrafts(session: ImapSession, page: PageRequest, call: Call): Promise<DraftPage> {
  const folderId = await draftsFolder(session, call)
  return withRowWish(
    call,
    (wish) =>
      withFolder(session, { folderId, view: 'now' }, call, async (mailbox) => {
        const answer = await mailbox.connection.run('UID SEARCH', [atom('UNDELETED')], {
          collect: ['SEARCH'],
          isPatient: true,
        })
        const all = [...searchNumbers(requireOk(answer, 'UID SEARCH').lines)].sort((a, b) => b - a)
        const uids = all.slice(page.offset, page.offset + page.limit)
        const rows = await fetchRows(session, mailbox, { by: 'uid', numbers: uids, wish })
        return {
          drafts: rows.map(({ message }) => ({ draft: { ref: message.ref }, message })),
          total: all.length,
          hasMore: all.length > page.offset + uids.length,
        }
      }),
    draftHeaders,
  )
}
