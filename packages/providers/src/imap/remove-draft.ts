import { Fault } from '@postern/core'
import type { DraftRef, ItemOutcome, WriteCall } from '@postern/mail'
import { actOnMessages, type ActOnTargets, type Result, type Target } from './act-on-messages.ts'
import { execWrite, isFailure } from './exec-write.ts'
import { expungeTargets } from './expunge-targets.ts'
import { folderDigest, unpackLocator } from './locator.ts'
import { packNumberSet } from './number-set.ts'
import type { OpenMailbox } from './pool.ts'
import type { ImapSession } from './session.ts'
import { atom, sequence } from './wire.ts'

/** What became of a draft that was to go. `hidden`: flagged as deleted, since the server cannot remove a single message. */
export interface Removal {
  readonly outcome: ItemOutcome
  readonly isHidden: boolean
}

/** Removes a draft where its ref says that it lies, and nothing that is no draft. */
export async function removeDraft(
  session: ImapSession,
  { ref }: DraftRef,
  call: WriteCall,
): Promise<Removal> {
  let isHidden = false
  const act: ActOnTargets = async (mailbox, targets) => {
    const drafts = targets.filter(({ seen }) => seen.flags.some((flag) => /^\\draft$/i.test(flag)))
    if (drafts.length === 0) return new Map()
    isHidden = !mailbox.connection.capabilities.has('UIDPLUS')
    return isHidden ? hide(mailbox, drafts, call) : expungeTargets(mailbox, drafts, call)
  }
  const [outcome] = await actOnMessages(session, [ref], call, { act, isFollowed: false })
  if (outcome === undefined || (outcome.status === 'failed' && outcome.fault.code === 'message_not_found'))
    throw draftStale()
  return { outcome, isHidden }
}

async function hide(
  { connection }: OpenMailbox,
  targets: readonly Target[],
  call: WriteCall,
): Promise<ReadonlyMap<Target, Result>> {
  const set = sequence(packNumberSet(targets.map(({ seen }) => seen.uid)))
  const args = [set, atom('+FLAGS.SILENT'), [atom('\\Deleted')]]
  const answer = await execWrite(connection, { command: 'UID STORE', args }, call)
  const result: Result = isFailure(answer) ? answer : { status: 'done', newRef: null }
  return new Map(targets.map((target) => [target, result]))
}

/** @throws draft_stale for a ref that names no place of this adapter in that folder. */
export function requireDraftRef({ ref }: DraftRef, folderId: string): void {
  if (unpackLocator(ref)?.folder !== folderDigest(folderId)) throw draftStale()
}

export function draftStale(): Fault {
  return new Fault('draft_stale', {
    public:
      'This draft was changed, sent or discarded since its draft_id was given. draft_list has the current ones. Nothing was changed.',
  })
}
