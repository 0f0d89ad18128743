import {
  nameNativeThread,
  parseHeaderBlock,
  readMessageFields,
  readThreadLinks,
  type HeaderField,
} from '@postern/mail'
import {
  chooseIdentity,
  dispatch,
  fillRecipients,
  listRecipients,
  parseRecipients,
  readRecipients,
  type Recipients,
} from '@postern/outbox'
import * as z from 'zod'
import * as parts from '../../compose-params.ts'
import { makingOf } from '../../compose/make-message.ts'
import { identities } from '../../compose/own-parts.ts'
import { participantsOf } from '../../compose/read-original.ts'
import { sendOnce, sendOwn } from '../../compose/send-output.ts'
import { readDraft } from '../../compose/stored-draft.ts'
import { submitMessage } from '../../compose/submit-message.ts'
import { defineWrite, type WriteContext } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'

export const send = defineWrite({
  action: 'send',
  effect: 'send',
  scopes: [['send:email']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({
    draft_id: parts.draftId,
    to: parts.to.default([]),
    cc: parts.cc.default([]),
    bcc: parts.bcc.default([]),
  }),
  own: sendOwn.extend({ draft_id: z.string().optional() }),
  once: sendOnce,
  example: { draft_id: 'd_...' },
  async write({ draft_id, ...texts }, context) {
    const given = parseRecipients(texts)
    await context.write.enter('source')
    const mail = await context.openForChange(onlyInbox(context))
    const { draft, message, octets } = await readDraft(draft_id, mail, context)
    await context.write.enter('compose')
    const { fields: headers } = parseHeaderBlock(octets)
    const filled = recipientsToFill(headers, given, context)
    const frozen = dispatch(octets, makingOf(context), filled)
    const sent = await submitMessage(
      {
        message: frozen,
        recipients: filled ?? readRecipients(headers),
        from: chooseIdentity(identities(context), frozen.envelope.from),
        subject: readMessageFields(headers).subject,
        isDerived: true,
        threadId: nameNativeThread(message.nativeThreadId),
        draft,
        participants: answersSomething(headers)
          ? participantsOf(draft.ref, mail, context)
          : () => Promise.resolve([]),
      },
      context,
    )
    if (sent.outcome === 'unknown') context.note('The draft stays, since nobody knows whether it was sent.')
    return { ...sent, own: { ...sent.own, draft_id } }
  },
})

/** The given recipients, where the draft has none. @throws argument_not_allowed where it has others. */
function recipientsToFill(
  headers: readonly HeaderField[],
  given: Recipients,
  { note }: WriteContext,
): Recipients | null {
  if (listRecipients(given).length === 0) return null
  if (fillRecipients(readRecipients(headers), given) === 'fill') return given
  note('The recipients that were given are those of the draft; it was sent as it is.')
  return null
}

function answersSomething(headers: readonly HeaderField[]): boolean {
  return readThreadLinks(headers).chain.length > 0
}
