import {
  nameNativeThread,
  readMessageFields,
  readThreadLinks,
  sealDraftId,
  sealMessageId,
  type CleanText,
  type ComposedMessage,
  type DraftRef,
  type SavedDraft,
} from '@postern/mail'
import type { Letter, Mailbox } from '@postern/outbox'
import { fitItems } from '../budget.ts'
import type { ChangeMail, WriteContext, Written } from '../define-tool.ts'
import { onlyInbox } from '../only-inbox.ts'
import type { DraftOnce, DraftOwn } from './draft-output.ts'
import { makeMessage } from './make-message.ts'
import { shownAddress, shownSubject } from './submit-message.ts'

export type KeptDraft = Written<DraftOwn, DraftOnce>

/** Most of a list of recipients that an answer shows. */
const shown = { items: 20, tokens: 130 } as const

/** The draft that a new revision replaces, by the id that the caller knows it under. */
export interface Replaced {
  readonly draft: DraftRef
  readonly draftId: string
}

/**
 * Stores a letter as a draft, and tells what the mailbox shows of it afterwards. What does not show as it was written
 * is `unknown`.
 * @throws as `compose`, as `DraftMail.saveDraft`; nothing was stored or changed.
 */
export async function keepDraft(
  letter: Letter,
  replaces: Replaced | null,
  mail: ChangeMail,
  context: WriteContext,
): Promise<KeptDraft> {
  const { ledger } = context.deps
  const message = await makeMessage(letter, context)
  const before = replaces?.draft.ref.locator ?? null
  // Whatever happens from here on, both can be looked for.
  ledger.note(context.claimed, {
    rfcMessageId: message.rfcMessageId,
    ...(before === null ? {} : { items: [{ before, after: null, status: 'unknown' }] }),
  })
  const ended = await mail.saveDraft(message, replaces?.draft ?? null, context.write)
  if (ended.status === 'failed') throw ended.fault
  const once = tellLetter(letter)
  const saved = ended.status === 'done' ? ended.saved : null
  if (saved === null || !isAsWritten(saved, message, letter)) {
    context.note(
      'The draft may or may not have been stored as it was written. operation_get looks; draft_list shows what is there.',
    )
    const after = saved?.draft.ref.locator ?? null
    return { outcome: 'unknown', own: {}, once, items: [{ before, after, status: 'unknown' }] }
  }
  tellReplaced(saved.replaced, context)
  return {
    outcome: 'done',
    own: {
      ...tellIds(saved, context),
      ...(replaces === null ? {} : { previous_draft_id: replaces.draftId }),
    },
    once,
    items: [{ before, after: saved.draft.ref.locator, status: 'done' }],
  }
}

function tellIds({ draft, message }: SavedDraft, context: WriteContext): DraftOwn {
  const { inboxId } = onlyInbox(context)
  const { messageIdSigner: signer } = context.deps
  return {
    draft_id: sealDraftId(signer, inboxId, draft),
    message_id: sealMessageId(signer, inboxId, message.ref),
    thread_id: nameNativeThread(message.nativeThreadId),
  }
}

/** Of the stored draft its Message-ID, what it answers, and its size: the adapter has compared the place. */
function isAsWritten(
  { message: stored }: SavedDraft,
  { octets, rfcMessageId }: ComposedMessage,
  { inReplyTo }: Letter,
): boolean {
  const { rfcMessageId: storedId } = readMessageFields(stored.headers, stored.tree)
  const { chain } = readThreadLinks(stored.headers)
  const isWhole = stored.sizeBytes === null || stored.sizeBytes === octets.length
  return isWhole && storedId === rfcMessageId && (inReplyTo === null || chain.at(-1) === inReplyTo)
}

function tellReplaced(replaced: SavedDraft['replaced'], { note }: WriteContext): void {
  if (replaced === 'hidden')
    note(
      'The mail server cannot remove a single message: the old version is only flagged as deleted. draft_list leaves it out.',
    )
  if (replaced === 'left')
    note(
      'The old version could not be removed: there are two drafts now, this one and the one under previous_draft_id.',
    )
}

function tellLetter(letter: Letter): DraftOnce {
  const [to, cc, bcc] = [list(letter.to), list(letter.cc), list(letter.bcc)]
  return {
    subject: shownSubject(letter.subject),
    from: shownAddress(letter.from.email),
    to,
    ...(to.length < letter.to.length ? { to_count: letter.to.length } : {}),
    cc,
    ...(cc.length < letter.cc.length ? { cc_count: letter.cc.length } : {}),
    bcc,
    ...(bcc.length < letter.bcc.length ? { bcc_count: letter.bcc.length } : {}),
    untrusted_content: true,
  }
}

function list(mailboxes: readonly Mailbox[]): CleanText[] {
  return [
    ...fitItems(
      mailboxes.slice(0, shown.items).map(({ email }) => shownAddress(email)),
      shown.tokens,
    ),
  ]
}
