/**
 * One adapter for each kind of mailbox, behind the port of `@postern/mail`.
 *
 * `connect.ts` is the table: a kind, the shape of its credential, what it can do, how it is opened and tried out.
 * Nobody outside names a provider; whoever opens an inbox asks the table with what the store knows about it.
 *
 * Each folder beside this file is one provider, with one file for each verb of the port. `memory/` is the
 * simplest and the one to read first: a mailbox in memory, on which the sandbox runs and everybody's tests. `imap/`
 * is every mailbox that is reached by IMAP, over the pool of connections that the process has once.
 *
 * `contract.ts` is the suite that all of them pass. An adapter throws Faults and nothing else; what a server said
 * stays in their internal text. Where one answer of a provider decides, a failure may become a value in
 * `attempt.ts`, and nowhere else.
 */
export {
  createProviders,
  sandboxCredentialSchema,
  type InboxHandle,
  type Providers,
  type ProvidersOptions,
} from './connect.ts'
export {
  autoconfig,
  submissionOf,
  imapCredentialSchema,
  type AuthFailure,
  type CheckStep,
  type ConnectionCheck,
  type ImapCandidate,
  type SmtpSettings,
  type ImapCredential,
  type PoolStats,
} from './imap/index.ts'
export { findServiceOfDomain, findServiceOfHost, mailServices, type MailService } from './mail-service.ts'
export {
  createMemoryAdapter,
  createMemoryMailbox,
  createMemoryPost,
  type MemoryAdapterOptions,
  type MemoryFaults,
  type MemoryFolderInit,
  type MemoryMailbox,
  type MemoryMessageInit,
  type MemoryPost,
  type SmtpReply,
  type SubmissionFaults,
} from './memory/index.ts'
export { sandboxAuthservId } from './sandbox/sandbox-message.ts'
