import { reply, type Letter } from '@postern/outbox'
import type { ChangeMail, WriteContext } from '../define-tool.ts'
import { onlyInbox } from '../only-inbox.ts'
import { answerInit, tellSkipped, type AnswerArgs } from './answer-init.ts'
import { gatherOwnParts, type OwnArgs } from './own-parts.ts'
import { readOriginal, type ReadOriginal } from './read-original.ts'

/** An answer, what it answers, and the mailbox that both are of. */
export interface Answer extends ReadOriginal {
  readonly letter: Letter
  readonly mail: ChangeMail
}

/**
 * Writes the answer to a message, to be stored or sent.
 * @throws as `answerInit`, `readOriginal` and `gatherOwnParts`.
 */
export async function writeAnswer(
  input: AnswerArgs & OwnArgs & { readonly message_id: string },
  context: WriteContext,
): Promise<Answer> {
  const init = answerInit(input, context)
  await context.write.enter('source')
  const mail = await context.openForChange(onlyInbox(context))
  const answered = await readOriginal(
    input.message_id,
    { withBody: true, includeHtml: input.html_body !== undefined, keepsPictures: false },
    mail,
    context,
  )
  const own = await gatherOwnParts(input, answered.original, () => Promise.resolve(mail), context)
  const { letter, skipped } = reply(answered.original, { ...init, ...own })
  tellSkipped(skipped, context)
  return { ...answered, letter, mail }
}
