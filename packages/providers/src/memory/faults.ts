import { Fault, timeoutFault, remainingMs, withDeadline } from '@postern/core'
import type { Call, DestroyMail, FolderId, MailAdapter, SendMail, WriteMail } from '@postern/mail'
import type { MemorySession } from './session.ts'

export type Verb = Exclude<
  keyof (MailAdapter & WriteMail & SendMail & DestroyMail),
  'provider' | 'capabilities' | 'close'
>

/** What a submission server answers; `enhancedCode` is that of RFC 3463. */
export interface SmtpReply {
  readonly smtpCode: number
  readonly enhancedCode: string | null
}

/** What goes wrong with what is sent. Each field may be changed while the adapter is in use. */
export interface SubmissionFaults {
  /** The server is not reached. */
  readonly connection?: Fault
  /** It refuses these recipients; addresses in lower case. */
  readonly refusedRecipients?: ReadonlyMap<string, SmtpReply>
  /** It refuses the message, once it has all of it. */
  readonly refusedData?: SmtpReply
  /** Its last answer is lost: by then it has delivered the message, or lost that too. */
  readonly lostAnswer?: 'delivered' | 'lost'
  /** The sender's own copy is not stored. */
  readonly sentCopy?: Fault
  /** The draft that was sent is not removed. */
  readonly draftRemoval?: Fault
}

/** Failures that a test may order; each field may be changed while the adapter is in use. */
export interface MemoryFaults {
  /** The verb throws this. */
  readonly failingVerbs?: ReadonlyMap<Verb, Fault>
  /** The verb never answers: its call ends by signal or deadline. */
  readonly stalledVerbs?: ReadonlySet<Verb>
  /** Listing the messages of this folder, searching and counting in it throws this. */
  readonly failingFolders?: ReadonlyMap<FolderId, Fault>
  /** The same never answers. */
  readonly stalledFolders?: ReadonlySet<FolderId>
  /** Rows of these messages (locators in hexadecimal) are broken: they keep their place and id. */
  readonly brokenMessages?: ReadonlySet<string>
  /** Changing these messages (locators in hexadecimal) ends without an answer, and nobody knows whether it was done. */
  readonly failingMessages?: ReadonlyMap<string, Fault>
  readonly submission?: SubmissionFaults
}

/** Every verb begins here, as it would with the first octet sent. @throws timeout, `signal.reason`, what was ordered. */
export async function enterVerb({ faults }: MemorySession, verb: Verb, call: Call): Promise<void> {
  call.signal.throwIfAborted()
  if (remainingMs(call.deadline) === 0) throw timeoutFault()
  const ordered = faults.failingVerbs?.get(verb)
  if (ordered !== undefined) throw ordered
  if (faults.stalledVerbs?.has(verb)) await stall(call)
}

/** @throws what was ordered for the folder. */
export async function enterFolder({ faults }: MemorySession, folderId: FolderId, call: Call): Promise<void> {
  const ordered = faults.failingFolders?.get(folderId)
  if (ordered !== undefined) throw ordered
  if (faults.stalledFolders?.has(folderId)) await stall(call)
}

async function stall(call: Call): Promise<never> {
  return withDeadline(new Promise<never>(() => undefined), call.deadline, call.signal)
}

export function folderNotFound(): Fault {
  return new Fault('folder_not_found', {
    public: 'There is no folder with this folder_id. folder_list gives the current ids.',
  })
}

/** One wording for gone, foreign and never existing messages. */
export function messageNotFound(): Fault {
  return new Fault('message_not_found', {
    public:
      'No message with this message_id is in the mailbox any more. A fresh list or search gives current ids.',
  })
}

export function partNotFound(): Fault {
  return new Fault('provider_error', { public: 'The message has no such part.', internal: 'unknown part id' })
}
