import type { Identity, ReadMail } from '@postern/mail'
import {
  addressKey,
  chooseIdentity,
  listIdentities,
  type Mailbox,
  type Original,
  type OutgoingFile,
  type OwnText,
  type Signature,
} from '@postern/outbox'
import type { AttachmentArg } from '../compose-params.ts'
import type { WriteContext } from '../define-tool.ts'
import { onlyInbox } from '../only-inbox.ts'
import { gatherFiles } from './gather-files.ts'

/** What every action that writes a message takes. */
export interface OwnArgs {
  readonly body?: string | undefined
  readonly html_body?: string | undefined
  readonly from?: string | undefined
  readonly attachments: readonly AttachmentArg[]
  readonly include_signature: boolean
}

/** The owner's part of a message. */
export interface OwnParts {
  readonly own: OwnText
  readonly from: Mailbox
  readonly signature: Signature | null
  readonly files: readonly OutgoingFile[]
}

/**
 * Who writes, what, with which files and signature.
 * @param original the message that is answered or forwarded, which decides who does where nothing else says it.
 * @throws sender_not_allowed, recipient_invalid (from), as `gatherFiles`.
 */
export async function gatherOwnParts(
  args: OwnArgs,
  original: Original | null,
  openMail: () => Promise<ReadMail>,
  context: WriteContext,
): Promise<OwnParts> {
  const from = chooseIdentity(identities(context), args.from ?? null, original)
  const { signature } = await readSignatures(from, args.include_signature, context)
  return {
    own: { text: args.body ?? '', html: args.html_body ?? null },
    from,
    signature,
    files: await gatherFiles(args.attachments, openMail, context),
  }
}

/** The verified identities of the inbox of a call. */
export function identities(context: WriteContext): readonly Identity[] {
  return listIdentities(onlyInbox(context))
}

/** The signature of an identity, null where it has none or none is wanted; and all that there are. */
export async function readSignatures(
  { email }: Mailbox,
  isWanted: boolean,
  context: WriteContext,
): Promise<{ readonly signature: Signature | null; readonly known: readonly Signature[] }> {
  const known = await context.deps.signatures.listSignatures(onlyInbox(context))
  const own = known.find((one) => one.email !== null && addressKey(one.email) === addressKey(email))
  const chosen = own ?? known.find((one) => one.email === null) ?? null
  return { signature: isWanted ? chosen : null, known }
}
