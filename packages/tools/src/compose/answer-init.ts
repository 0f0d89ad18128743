import { parseRecipients, requireSubject, type ReplyInit } from '@postern/outbox'
import type { WriteContext } from '../define-tool.ts'
import { onlyInbox } from '../only-inbox.ts'

/** What every action that answers a message takes. */
export interface AnswerArgs {
  readonly reply_all: boolean
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject?: string | undefined
}

/**
 * What an answer is made with beside the owner's own parts.
 * @throws recipient_invalid, too_many_recipients, invalid_arguments (subject).
 */
export function answerInit(
  args: AnswerArgs,
  context: WriteContext,
): Pick<ReplyInit, 'ownAddresses' | 'isReplyAll' | 'cc' | 'bcc' | 'replyTo' | 'subject' | 'timezone'> {
  const { emailAddress, aliases, timezone } = onlyInbox(context)
  const { cc, bcc } = parseRecipients({ to: [], cc: args.cc, bcc: args.bcc })
  return {
    ownAddresses: [emailAddress, ...aliases],
    isReplyAll: args.reply_all,
    cc,
    bcc,
    replyTo: null,
    subject: args.subject === undefined ? null : requireSubject(args.subject),
    timezone,
  }
}

export function tellSkipped(skipped: number, { note }: WriteContext): void {
  if (skipped === 0) return
  note(
    `Entries of the original that are no addresses were left out of the answer to all, ${skipped} in number.`,
  )
}
