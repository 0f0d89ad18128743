import { requireScopes, type HeldApproval } from '@postern/access'
import { cleanLine, rawText, readMessageFields, type MessageRow, type ReadMail } from '@postern/mail'
import type { BulkAct } from './bulk-act.ts'
import type { WriteContext } from './define-tool.ts'
import { packHeldBulk, type SampleRow } from './held-bulk.ts'
import { onlyInbox } from './only-inbox.ts'

/** Rows that are shown to whoever decides. */
const sampleSize = 20
/** How long somebody has to decide: a mailbox does not stand still. */
const approvalMs = 15 * 60_000

/** Whether the owner wants to see it before many messages are changed. */
export async function isReviewed({ deps, principal, inboxes, now }: WriteContext): Promise<boolean> {
  const ruled = await deps.policies.list(principal, now)
  return inboxes.some(({ inboxId }) => ruled.get(inboxId)?.bulkReview === true)
}

/**
 * Freezes these messages and puts before somebody what is to be done to them. Nothing is changed.
 * @throws insufficient_scope, where approval could not help.
 */
export async function holdBatch(
  rows: readonly MessageRow[],
  act: BulkAct,
  mail: ReadMail,
  context: WriteContext,
): Promise<HeldApproval> {
  await context.write.enter('policy')
  const { held, sha256 } = packHeldBulk({
    act,
    destination: await nameDestination(act, mail, context),
    refs: rows.map(({ message }) => message.ref),
    sample: rows.slice(0, sampleSize).map(sampleOf),
  })
  const heldAt = context.deps.clock.now()
  const expiresAt = new Date(heldAt.getTime() + approvalMs)
  const { inboxId } = onlyInbox(context)
  const { claimed: operation } = context
  return context.deps.approvals.hold({ operation, inboxId, kind: 'bulk', sha256, held, heldAt, expiresAt })
}

/** What is moved to Trash or Spam is asked for by who may put it there. @throws insufficient_scope. */
async function nameDestination(
  act: BulkAct,
  mail: ReadMail,
  { principal, operation, call }: WriteContext,
): Promise<string | null> {
  if (act.kind !== 'move') return null
  const folder = (await mail.listFolders('known', call)).find(({ folderId }) => folderId === act.folderId)
  if (folder?.role === 'trash' || folder?.role === 'spam')
    requireScopes(principal, [['delete:email']], operation)
  return cleanLine(folder?.path ?? rawText(act.folderId))
}

function sampleOf({ message }: MessageRow): SampleRow {
  const { from, subject } = readMessageFields(message.headers, message.tree)
  const [author] = from
  return {
    from: author === undefined ? '' : cleanLine(author.email),
    subject: cleanLine(subject),
    receivedAt: message.receivedAt,
  }
}
