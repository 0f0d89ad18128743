import { chooseIdentity, editDraft, parseRecipients, requireSubject, type Mailbox } from '@postern/outbox'
import { parseHeaderBlock, readMessageFields } from '@postern/mail'
import * as z from 'zod'
import * as parts from '../../compose-params.ts'
import { draftOnce, draftOwn } from '../../compose/draft-output.ts'
import { gatherFiles } from '../../compose/gather-files.ts'
import { keepDraft } from '../../compose/keep-draft.ts'
import { identities, readSignatures } from '../../compose/own-parts.ts'
import { readDraft } from '../../compose/stored-draft.ts'
import { defineWrite, type WriteContext } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'

const input = z.strictObject({
  draft_id: parts.draftId,
  body: parts.body,
  subject: parts.subject.optional(),
  html_body: parts.htmlBody,
  to: parts.to.optional(),
  cc: parts.cc.optional(),
  bcc: parts.bcc.optional(),
  from: parts.from,
  attachments: parts.attachments.optional(),
  include_signature: parts.includeSignature,
})

export const update = defineWrite({
  action: 'update',
  effect: 'write',
  scopes: [['manage:drafts']],
  target: 'inbox',
  seconds: 55,
  input,
  own: draftOwn,
  once: draftOnce,
  example: { draft_id: 'd_...', body: 'At one, then?' },
  async write(args, context) {
    const given = readGiven(args)
    const from = args.from === undefined ? null : chooseIdentity(identities(context), args.from)
    await context.write.enter('source')
    const mail = await context.openForChange(onlyInbox(context))
    const { draft, octets } = await readDraft(args.draft_id, mail, context)
    const files =
      args.attachments === undefined
        ? null
        : await gatherFiles(args.attachments, () => Promise.resolve(mail), context)
    const { letter, isHtmlDropped } = await editDraft(
      octets,
      {
        ...given,
        own: { text: args.body, html: args.html_body ?? null },
        from,
        files,
        ...(await signaturesOf(octets, from, args.include_signature, context)),
      },
      {
        defaultFrom: chooseIdentity(identities(context), null),
        pool: context.deps.htmlPool?.of(context.principal.tenantId) ?? null,
      },
    )
    if (isHtmlDropped)
      context.note(
        'The stored HTML version said what the old text said, and was dropped; html_body gives a new one.',
      )
    return keepDraft(letter, { draft, draftId: args.draft_id }, mail, context)
  },
})

type Args = z.output<typeof input>

/** What was given, null for what was not. @throws recipient_invalid, too_many_recipients, invalid_arguments. */
function readGiven({ subject, to, cc, bcc }: Args) {
  const parsed = parseRecipients({ to: to ?? [], cc: cc ?? [], bcc: bcc ?? [] })
  return {
    subject: subject === undefined ? null : requireSubject(subject),
    to: to === undefined ? null : parsed.to,
    cc: cc === undefined ? null : parsed.cc,
    bcc: bcc === undefined ? null : parsed.bcc,
  }
}

/** Those of the identity that the draft will be from. */
async function signaturesOf(
  octets: Uint8Array,
  given: Mailbox | null,
  isWanted: boolean,
  context: WriteContext,
) {
  const { fields } = parseHeaderBlock(octets)
  const own = identities(context)
  const from =
    given ?? chooseIdentity(own, null, { fields: { ...readMessageFields(fields), to: [], cc: [] } })
  const { signature, known } = await readSignatures(from, isWanted, context)
  return { signature, knownSignatures: known }
}
