import { Fault } from '@postern/core'
import { nameNativeThread } from '@postern/mail'
import { forward, forwardAttached, type ForwardInit, type Letter, type OutgoingFile } from '@postern/outbox'
import { carryStoredFiles } from '../../compose/carry-files.ts'
import { makeMessage } from '../../compose/make-message.ts'
import { participantsOf, readOctets, readOriginal, type ReadOriginal } from '../../compose/read-original.ts'
import { submitMessage, type SentMessage } from '../../compose/submit-message.ts'
import type { ChangeMail, WriteContext } from '../../define-tool.ts'

export interface ForwardPlan {
  readonly init: ForwardInit
  readonly isAttached: boolean
  readonly includesFiles: boolean
}

/** Forwards one message, in place or as a file. @throws as `submitMessage`; nothing was sent. */
export async function forwardOne(
  messageId: string,
  plan: ForwardPlan,
  mail: ChangeMail,
  context: WriteContext,
): Promise<SentMessage> {
  await context.write.enter('source')
  const read = await readOriginal(
    messageId,
    { withBody: !plan.isAttached, includeHtml: !plan.isAttached, keepsPictures: true },
    mail,
    context,
  )
  const letter = await write(read, plan, mail, context)
  return submitMessage(
    {
      message: await makeMessage(letter, context),
      recipients: letter,
      from: letter.from,
      subject: letter.subject,
      isDerived: true,
      threadId: nameNativeThread(read.opened.message.nativeThreadId),
      draft: null,
      participants: participantsOf(read.ref, mail, context),
    },
    context,
  )
}

async function write(
  read: ReadOriginal,
  { init, isAttached, includesFiles }: ForwardPlan,
  mail: ChangeMail,
  context: WriteContext,
): Promise<Letter> {
  const { ref, original, opened } = read
  if (isAttached) return forwardAttached(original, await readOctets(ref, mail, context), init)
  if (opened.warnings.includes('body_cut')) throw tooLong()
  if (opened.warnings.includes('html_not_rendered'))
    context.note(
      'The markup of the original could not be read, so its words go on without it. as_attachment forwards it as it is.',
    )
  const shows = original.html !== null
  const wanted = opened.attachments.filter(({ isInline }) => includesFiles || (isInline && shows))
  const carried = await carryStoredFiles(ref, { opened, wanted }, mail, context)
  return forward(original, {
    ...init,
    files: [...init.files, ...carried.map((file, index) => asShown(file, index, shows))],
  })
}

/** A picture that no markup shows is a file, and a file has a name. */
function asShown(file: OutgoingFile, index: number, shows: boolean): OutgoingFile {
  if (shows && file.isInline && file.contentId !== null) return file
  return { ...file, isInline: false, filename: file.filename ?? `attachment ${index + 1}` }
}

function tooLong(): Fault {
  return new Fault('message_too_large', {
    public:
      'This message is too long to stand in another one. Nothing was sent. as_attachment forwards it whole, as a file.',
    details: { argument: 'as_attachment' },
  })
}
