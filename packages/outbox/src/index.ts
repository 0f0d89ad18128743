/**
 * What is written to others. No network, no clock, no chance of its own; the moment and a token are given.
 *
 * A caller's words become a `Letter` (who, to whom, what, which files), by `parse-recipients.ts` and `reply.ts`,
 * `forward.ts` or `edit-draft.ts`. `compose.ts` makes octets of it, once: drafts and sends share it, and from there on
 * nothing is rendered again. A draft that is sent keeps its octets; `dispatch.ts` only sets what belongs to the moment
 * of sending. `policy.ts` judges what will be sent, by its envelope, not by what was asked for, and `submit.ts` is the
 * one way out: it alone holds the verb that sends. A message that somebody has to approve is frozen by its hash and kept
 * sealed; `send-approved.ts` lets it go later, under the rules of then.
 *
 * Two rules run through it. Whoever is written to was asked for: an address is parsed strictly, by one function
 * (`addr-spec.ts`), and the envelope is made of nothing else, so a name, a quote or a stranger's header can not add
 * somebody. And a header is written field by field (`write-field.ts`), so that no text can begin a field of its own.
 *
 * Mail that is answered is hostile: of it only clean text and markup go on, within bounds, and never into a fault.
 */
export { addressKey, parseAddrSpec, type AddrSpec } from './addr-spec.ts'
export { carryFile, carryFiles } from './carry-file.ts'
export { chooseIdentity } from './choose-identity.ts'
export { compose, maxHtmlChars, maxTextChars } from './compose.ts'
export { describeHeld, type HeldDescription } from './describe-held.ts'
export { messageDigest } from './digest.ts'
export { dispatch, fillRecipients } from './dispatch.ts'
export { editDraft, type DraftChange, type EditedDraft, type EditOptions } from './edit-draft.ts'
export { forward, forwardAttached, type ForwardInit } from './forward.ts'
export type { Letter, Making, OwnText } from './letter.ts'
export { packHeldSend, unpackHeldSend, type HeldSend } from './held-send.ts'
export { isKnownCorrespondent } from './is-known-correspondent.ts'
export { listIdentities } from './list-identities.ts'
export { listRecipients, type Mailbox, type RecipientField, type Recipients } from './mailbox.ts'
export { usableMailboxes, type Original } from './original.ts'
export {
  maxFiles,
  maxFilesBytes,
  requireFilename,
  requireFilesFit,
  type FileSize,
  type OutgoingFile,
} from './outgoing-file.ts'
export {
  maxPerField,
  maxRecipients,
  parseMailbox,
  parseRecipients,
  type RecipientTexts,
} from './parse-recipients.ts'
export { checkSend, type SendPolicy, type SendRequest } from './policy.ts'
export type { PolicyDirectory, PolicySummary } from './policy-summary.ts'
export { noSignatures, type OwnSignature, type SendPolicies, type SignatureBook } from './ports.ts'
export { readRecipients } from './read-recipients.ts'
export { recipientRulesSchema, type RecipientRule } from './recipient-rule.ts'
export { replyRecipients, type ReplyRecipients } from './recipients.ts'
export { reply, type Reply, type ReplyInit } from './reply.ts'
export { sendApproved, type SendApprovedDeps } from './send-approved.ts'
export type { SendLookups } from './send-lookups.ts'
export { sign, type Signature } from './signature.ts'
export { splitRecipients } from './split-recipients.ts'
export { forwardSubject, maxSubjectChars, replySubject, requireSubject } from './subject.ts'
export {
  createOutbox,
  type ApprovedOutbox,
  type Outbox,
  type OutboxDeps,
  type Outgoing,
  type Submitted,
} from './submit.ts'
export { outcomeOf } from './outcome-of.ts'
export { textToHtml } from './text-to-html.ts'
