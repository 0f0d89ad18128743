import type { Outcome } from '@postern/access'
import type { Fault } from '@postern/core'
import {
  cleanLine,
  rawText,
  sealMessageId,
  type CleanText,
  type ComposedMessage,
  type DraftRef,
  type RecipientOutcome,
  type SendReceipt,
} from '@postern/mail'
import { addressKey, type Mailbox, type RecipientField, type Recipients } from '@postern/outbox'
import { fitItems } from '../budget.ts'
import type { WriteContext, Written } from '../define-tool.ts'
import { onlyInbox } from '../only-inbox.ts'
import { tellApproval } from '../tell-approval.ts'
import { withDetails } from '../with-details.ts'
import type { RecipientOutput, SendOnce, SendOwn } from './send-output.ts'

/** A message that is ready to go, and what its answer tells of it. */
export interface Submission {
  readonly message: ComposedMessage
  readonly recipients: Recipients
  readonly from: Mailbox
  readonly subject: string
  /** Subject or recipients come out of a mailbox. */
  readonly isDerived: boolean
  /** Of the conversation it joins, where the provider has ids of them. */
  readonly threadId: string | null
  readonly draft: DraftRef | null
  readonly participants: () => Promise<readonly string[]>
}

export type SentMessage = Written<SendOwn, SendOnce>

/** Tokens of the recipients that an answer names, and characters of the subject. */
const shown = { recipientTokens: 400, subjectChars: 120 } as const

/**
 * Hands a message to the one way out and tells what became of it.
 * @throws what the rules of sending say; send_refused and provider_* where nothing was sent, with the server's answer
 * on each recipient by field and position.
 */
export async function submitMessage(submission: Submission, context: WriteContext): Promise<SentMessage> {
  const { message, draft, participants } = submission
  const submitted = await context.deps.outbox.submit(
    {
      principal: context.principal,
      operation: context.claimed,
      inbox: onlyInbox(context),
      message,
      draft,
      participants,
    },
    context.write,
  )
  return submitted.kind === 'held'
    ? { outcome: 'pending_approval', own: tellApproval(submitted.approval), items: [] }
    : tellReceipt(submitted.receipt, submission, context)
}

function tellReceipt(receipt: SendReceipt, submission: Submission, context: WriteContext): SentMessage {
  const told = placeAll(receipt.recipients, submission.recipients)
  if (receipt.outcome === 'refused' || receipt.outcome === 'failed') throw withRecipients(receipt.fault, told)
  const isKnown = receipt.outcome === 'sent'
  const { inboxId } = onlyInbox(context)
  const copy = isKnown ? receipt.sentCopy : { status: 'unknown' as const, folderId: null, ref: null }
  const seal = sealMessageId.bind(null, context.deps.messageIdSigner, inboxId)
  if (!isKnown)
    context.note(
      'The message had begun to leave when the answer was lost. It may have been sent; operation_get looks.',
    )
  if (copy.status === 'failed')
    context.note('It was sent, but no copy of it could be stored in the Sent folder.')
  return {
    outcome: outcomeOf(receipt.outcome, told),
    own: {
      rfc_message_id: submission.message.rfcMessageId,
      message_id: copy.ref === null ? null : seal(copy.ref),
      thread_id: submission.threadId,
      recipient_counts: {
        accepted: count(told, 'accepted'),
        rejected: count(told, 'rejected'),
        unknown: count(told, 'unknown'),
      },
      sent_copy: { status: copy.status, folder_id: copy.folderId },
    },
    once: tellOnce(submission, told),
    items: [
      {
        before: submission.draft?.ref.locator ?? null,
        after: copy.ref?.locator ?? null,
        status: isKnown ? 'done' : 'unknown',
      },
    ],
  }
}

function outcomeOf(outcome: 'sent' | 'unknown', told: readonly Placed[]): Outcome {
  if (outcome === 'unknown') return 'unknown'
  return count(told, 'rejected') + count(told, 'unknown') > 0 ? 'partial' : 'sent'
}

function tellOnce({ from, subject, isDerived }: Submission, told: readonly Placed[]): SendOnce {
  const worstFirst = told.toSorted(
    (a, b) => Number(a.status === 'accepted') - Number(b.status === 'accepted'),
  )
  const recipients = fitItems(
    worstFirst.map((one): RecipientOutput => ({
      email: shownAddress(one.email),
      field: one.field,
      status: one.status,
      smtp_code: one.smtpCode,
      enhanced_code: one.enhancedCode,
    })),
    shown.recipientTokens,
  )
  return {
    from: shownAddress(from.email),
    subject: shownSubject(subject),
    recipients: [...recipients],
    ...(recipients.length < told.length ? { recipients_omitted: told.length - recipients.length } : {}),
    ...(isDerived ? { untrusted_content: true as const } : {}),
  }
}

/** A subject as a result of a write repeats it. */
export function shownSubject(subject: string): CleanText {
  return cleanLine(rawText(subject), shown.subjectChars)
}

export function shownAddress(email: string): CleanText {
  return cleanLine(rawText(email), 254)
}

type Placed = RecipientOutcome & { readonly field: RecipientField; readonly position: number }

/** Everyone who was asked for, in the order of the fields, with what the server said; of others it said nothing. */
function placeAll(outcomes: readonly RecipientOutcome[], recipients: Recipients): readonly Placed[] {
  const byKey = new Map(outcomes.map((outcome) => [addressKey(outcome.email), outcome]))
  const fields = ['to', 'cc', 'bcc'] as const
  return fields.flatMap((field) =>
    recipients[field].flatMap(({ email }, index) => {
      const said = byKey.get(addressKey(email))
      // Named in two fields it is one recipient.
      byKey.delete(addressKey(email))
      return said === undefined ? [] : [{ ...said, email, field, position: index + 1 }]
    }),
  )
}

function count(told: readonly Placed[], status: RecipientOutcome['status']): number {
  return told.filter((one) => one.status === status).length
}

/** The same fault with the answers that were given, without an address. */
function withRecipients(fault: Fault, told: readonly Placed[]): Fault {
  const recipients = told
    .filter(({ status }) => status !== 'accepted')
    .map(({ field, position, smtpCode, enhancedCode }) => ({
      field,
      position,
      smtp_code: smtpCode,
      enhanced_code: enhancedCode,
    }))
  return recipients.length === 0 ? fault : withDetails(fault, { recipients })
}
