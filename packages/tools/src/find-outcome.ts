import type { MarkDelta, Operation, OperationItem, Outcome } from '@postern/access'
import type { FolderId, FolderRole, MessageRef, ReadMail, Whereabouts } from '@postern/mail'
import type { ActionContext } from './define-tool.ts'

/** What a look at the mailbox told of an operation of which nobody knew. */
export interface Finding {
  readonly outcome: Outcome
  readonly method: 'message_id' | 'message_identity'
  /** Our own words. */
  readonly evidence: string
  /** Each message with what became of it; none where it was not a matter of messages that were there before. */
  readonly items: readonly OperationItem[]
}

/** A mail server may still be at work on what it was told when the connection was lost. */
const settlingMs = 60_000

/** Looks and never acts. Null: a mailbox cannot tell what became of such an operation. */
export async function findOutcome(
  operation: Operation,
  mail: ReadMail,
  context: ActionContext,
): Promise<Finding | null> {
  const { operation: name, rfcMessageId } = operation
  const isSend = name === 'draft.send' || name.startsWith('email_compose.')
  if (rfcMessageId !== null && (isSend || name.startsWith('draft.'))) {
    return isSend
      ? findMessage(rfcMessageId, { mail, context, roles: ['sent', 'all'], proves: 'sent' })
      : findDraft(operation, rfcMessageId, { mail, context })
  }
  const items = await context.deps.ledger.listItems(operation)
  return isSend || items.length === 0 ? null : findItems(operation, items, { mail, context })
}

/** The Message-ID is ours and is used once. That it is not there proves nothing. */
async function findMessage(
  rfcMessageId: string,
  {
    mail,
    context,
    roles,
    proves,
  }: {
    readonly mail: ReadMail
    readonly context: ActionContext
    readonly roles: readonly FolderRole[]
    readonly proves: Outcome
  },
): Promise<Finding | null> {
  const folders = (await mail.listFolders('now', context.call)).filter(
    ({ role, isSelectable }) => isSelectable && role !== null && roles.includes(role),
  )
  if (folders.length === 0) return null
  const query = {
    criterion: { kind: 'header', name: 'message-id', value: rfcMessageId },
    folderIds: folders.map(({ folderId }) => folderId),
  } as const
  const { messages } = await mail.searchMessages(query, { limit: 1, offset: 0, after: null }, context.call)
  const where = folders.map(({ role }) => role).join(' and ')
  const isThere = messages.length > 0
  return {
    outcome: isThere ? proves : 'unknown',
    method: 'message_id',
    evidence: isThere
      ? `A message with the Message-ID of this one lies in the folder with the role ${where}.`
      : `No message with the Message-ID of this one lies in the folder with the role ${where}; that proves nothing.`,
    items: [],
  }
}

/** A draft that was replaced may lie beside the one that replaces it: whoever asks has to know of both. */
async function findDraft(
  operation: Operation,
  rfcMessageId: string,
  { mail, context }: Looking,
): Promise<Finding | null> {
  const finding = await findMessage(rfcMessageId, { mail, context, roles: ['drafts'], proves: 'done' })
  if (finding === null || finding.outcome !== 'done') return finding
  const refs = (await context.deps.ledger.listItems(operation)).flatMap(({ before }) =>
    before === null ? [] : [{ locator: before }],
  )
  const left = refs.length === 0 ? [] : await mail.locateMessages(refs, 'address', context.call)
  if (left.every(({ now }) => now === null)) return finding
  return {
    ...finding,
    outcome: 'partial',
    evidence:
      'The new draft is stored, and the one that it was to replace is still there too: draft_list shows both.',
  }
}

interface Looking {
  readonly mail: ReadMail
  readonly context: ActionContext
}

async function findItems(
  operation: Operation,
  items: readonly OperationItem[],
  looking: Looking,
): Promise<Finding> {
  const refs = items.map(({ before }): MessageRef => ({ locator: before ?? new Uint8Array() }))
  // A server that was cut off may act yet: what is not done by now is not undone for good before that.
  const isSettled = looking.context.now.getTime() - operation.updatedAt.getTime() >= settlingMs
  const found = await statusesOf(operation, { items, refs }, looking)
  const told = items.map((item, index): OperationItem => {
    const end = found[index] ?? unclear
    if (item.status !== 'unknown' || (end.status === 'failed' && !isSettled)) return item
    return { ...item, ...end }
  })
  const count = (status: OperationItem['status']): number =>
    told.filter((item) => item.status === status).length
  const [done, failed, unknown] = [count('done') + count('unchanged'), count('failed'), count('unknown')]
  return {
    outcome: unknown > 0 ? 'unknown' : failed === 0 ? 'done' : done === 0 ? 'failed' : 'partial',
    method: 'message_identity',
    evidence: `Of ${told.length} messages ${done} are as they should be, ${failed} as they were, and ${unknown} cannot be told.`,
    items: told,
  }
}

type End = Pick<OperationItem, 'status' | 'after'>

const unclear: End = { status: 'unknown', after: null }
const undone: End = { status: 'failed', after: null }

async function statusesOf(
  operation: Operation,
  { items, refs }: { readonly items: readonly OperationItem[]; readonly refs: readonly MessageRef[] },
  { mail, context }: Looking,
): Promise<readonly End[]> {
  if (items.some(({ marks }) => marks !== undefined)) {
    const located = await mail.locateMessages(refs, 'anywhere', context.call)
    return located.map(({ now }, index) => endOfMarks(now, items[index]?.marks))
  }
  const isCopy = operation.operation.startsWith('email_organize.copy')
  const stayed = isCopy ? [] : await mail.locateMessages(refs, 'address', context.call)
  if (operation.result?.['permanent'] === true) {
    const left = await mail.locateMessages(refs, 'anywhere', context.call)
    return left.map(({ now }, index) => {
      if ((stayed[index]?.now ?? null) !== null) return undone
      return now === null ? { status: 'done', after: null } : unclear
    })
  }
  const destination = await destinationOf(operation, mail, context)
  const arrived = destination === null ? [] : await mail.locateMessages(refs, [destination], context.call)
  return refs.map((_, index): End => {
    if ((stayed[index]?.now ?? null) !== null) return undone
    const there = arrived[index]?.now ?? null
    if (there !== null) return { status: 'done', after: there.ref.locator }
    return isCopy && destination !== null ? undone : unclear
  })
}

function endOfMarks(now: Whereabouts['now'], marks: MarkDelta | undefined): End {
  if (now === null || marks === undefined) return unclear
  const labels = new Set(now.labels.map((name) => `label:${name.toLowerCase()}`))
  const has = (name: string): boolean =>
    name === 'seen' || name === 'flagged' ? now.flags[name] : labels.has(name.toLowerCase())
  const asked = [...marks.added.map(has), ...marks.removed.map((name) => !has(name))]
  if (asked.every(Boolean)) return { status: 'done', after: now.ref.locator }
  return asked.some(Boolean) ? unclear : undone
}

/** Where the messages were to go, as far as it was written down. */
async function destinationOf(
  { operation, result }: Operation,
  mail: ReadMail,
  { call }: ActionContext,
): Promise<FolderId | null> {
  const named = result?.['destination_folder_id']
  if (typeof named === 'string') return named
  const role = operation.startsWith('email_delete.')
    ? 'trash'
    : operation === 'email_organize.archive'
      ? 'archive'
      : null
  if (role === null) return null
  return (await mail.listFolders('known', call)).find((folder) => folder.role === role)?.folderId ?? null
}
