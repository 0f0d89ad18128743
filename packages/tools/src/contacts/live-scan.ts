import type { InboxRecord } from '@postern/access'
import type { Observation } from '@postern/contacts'
import { withDeadline, type Fault } from '@postern/core'
import { defaultSearchFolders, type Criterion, type Folder, type ReadMail } from '@postern/mail'
import { amongFolders } from '../among-folders.ts'
import type { ActionContext } from '../define-tool.ts'
import { settle } from '../settle.ts'
import { observeMessage } from './observe-message.ts'

/** The newest matching messages that are looked at in each inbox, and for how long. */
const maxMessages = 500
const maxMs = 8_000

/** What the headers of one inbox say of a query; or why they say nothing. */
export interface LiveScan {
  readonly inbox: InboxRecord
  readonly observations: readonly Observation[]
  /** There may be older messages that match. */
  readonly isTruncated: boolean
  readonly fault: Fault | null
}

/** Asks the mailboxes themselves, header fields only, all at once and each for 8 s at most. */
export async function scanLive(
  inboxes: readonly InboxRecord[],
  query: string,
  context: ActionContext,
): Promise<readonly LiveScan[]> {
  const latest = Math.min(context.call.deadline.getTime() - 1_000, Date.now() + maxMs)
  const call = { ...context.call, deadline: new Date(latest) }
  const bounded = { ...context, call }
  return Promise.all(
    inboxes.map(async (inbox) => {
      const { value, fault } = await settle(
        () => withDeadline(scanInbox(inbox, query, bounded), call.deadline, call.signal),
        call,
      )
      return { inbox, observations: [], isTruncated: false, ...value, fault }
    }),
  )
}

async function scanInbox(
  inbox: InboxRecord,
  query: string,
  context: ActionContext,
): Promise<Pick<LiveScan, 'observations' | 'isTruncated'>> {
  const mail = await context.openMail(inbox)
  const folders = await amongFolders(mail, context.call, (known) => known)
  const { refs, isTruncated } = await findNewest(mail, folders, query, context)
  const messages = refs.length === 0 ? [] : await mail.getMessages(refs, context.call)
  const roles = new Map(folders.map(({ folderId, role }) => [folderId, role]))
  const own = context.reachable.flatMap(({ emailAddress, aliases }) => [emailAddress, ...aliases])
  const observations = messages.flatMap((found) =>
    found.isFound
      ? (observeMessage(found.value, roles.get(found.value.folderId) ?? null, own, inbox) ?? [])
      : [],
  )
  return { observations, isTruncated }
}

async function findNewest(
  mail: ReadMail,
  folders: readonly Folder[],
  query: string,
  { call }: ActionContext,
) {
  const drafts = new Set(folders.filter(({ role }) => role === 'drafts').map(({ folderId }) => folderId))
  const scope = { includeSpamTrash: false, isByFolder: true }
  const folderIds = defaultSearchFolders(folders, scope).filter((folderId) => !drafts.has(folderId))
  const fields = (['from', 'to', 'cc', 'bcc'] as const).map((field): Criterion => ({
    kind: 'text',
    field,
    value: query,
  }))
  const page = { limit: maxMessages, offset: 0, after: null }
  const found = await mail.searchMessages({ criterion: { kind: 'or', of: fields }, folderIds }, page, call)
  return {
    refs: found.messages.map(({ message }) => message.ref),
    isTruncated: found.hasMore || found.foldersFailed.length > 0 || found.degraded.length > 0,
  }
}
