import { Fault } from '@postern/core'
import type { Call, Capabilities, MailAdapter, ProviderKind } from '@postern/mail'
import { z } from 'zod'
import {
  checkConnection,
  createImapAdapter,
  createImapPool,
  FolderCache,
  imapCapabilities,
  imapCredentialSchema,
  smtpAccount,
  type AuthFailure,
  type ConnectionCheck,
  type ImapCredential,
  type PoolStats,
  type SmtpOptions,
  type SmtpSubmission,
} from './imap/index.ts'
import { findServiceOfHost, findServiceOfSmtpHost } from './mail-service.ts'
import { memoryCapabilities } from './memory/capabilities.ts'
import type { SandboxMailboxes } from './sandbox/sandbox-mailboxes.ts'

/** One inbox as the store knows it, without its secret. */
export interface InboxHandle {
  readonly inboxId: string
  /** Rises with each new credential; connections made with an older one are closed. */
  readonly credentialVersion: number
  readonly emailAddress: string
  /** Every address of the owner, for `from:me`; compared without regard to case. */
  readonly ownerAddresses: readonly string[]
  /** Owner's choice where the server names no role: role to folder id. */
  readonly folderRoles: Readonly<Record<string, string>>
}

export interface ProvidersOptions {
  /** Self-hosted: private addresses, any port and, where chosen, cleartext to them. */
  readonly allowPrivateHosts: boolean
  /** PEM of authorities that this installation trusts beside the usual ones. */
  readonly extraCa?: string | undefined
  /** Connections of the whole process, and of one inbox. */
  readonly maxConnections?: number
  readonly maxPerInbox?: number
  /** A provider refused a credential: the inbox needs its owner. */
  readonly onAuthFailure?: (failure: AuthFailure) => void
}

/** Every kind of mailbox this process can open. */
export interface Providers {
  /**
   * Opens an inbox; dials nothing yet.
   * @throws invalid_arguments when the credential has not the shape of its kind.
   */
  open(kind: ProviderKind, handle: InboxHandle, credential: unknown): Promise<MailAdapter>
  /** Tries a credential and says what failed; changes nothing. @throws invalid_arguments, `signal.reason`. */
  check(kind: ProviderKind, credential: unknown, call: Call): Promise<ConnectionCheck>
  /** The shape of a credential of this kind, for forms and for whoever stores one. */
  credentialSchema(kind: ProviderKind): z.ZodType
  capabilities(kind: ProviderKind): Capabilities
  /** Closes the connections of an inbox that was disconnected or reconnected. */
  drain(inboxId: string): Promise<void>
  close(): Promise<void>
  stats(): PoolStats
}

/** A sandbox needs no secret; its mail is dated from the day it was connected, so that message ids stay the same. */
export const sandboxCredentialSchema = z.strictObject({ startedAt: z.iso.datetime() })

interface Provider {
  readonly credential: z.ZodType
  readonly capabilities: Capabilities
  readonly open: (handle: InboxHandle, credential: unknown) => Promise<MailAdapter>
  readonly check: (credential: unknown, call: Call) => Promise<ConnectionCheck>
  readonly drain: (inboxId: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** The table of providers. A library of a kind is loaded when its first inbox is used, not before. */
export function createProviders(options: ProvidersOptions): Providers {
  const { provider: imap, stats } = imapProvider(options)
  const table: Readonly<Record<ProviderKind, Provider>> = { imap, sandbox: sandboxProvider() }
  return {
    open: (kind, handle, credential) => table[kind].open(handle, credential),
    check: (kind, credential, call) => table[kind].check(credential, call),
    credentialSchema: (kind) => table[kind].credential,
    capabilities: (kind) => table[kind].capabilities,
    drain: async (inboxId) => {
      await Promise.all(Object.values(table).map((provider) => provider.drain(inboxId)))
    },
    close: async () => {
      await Promise.all(Object.values(table).map((provider) => provider.close()))
    },
    stats,
  }
}

function imapProvider(options: ProvidersOptions): { provider: Provider; stats: () => PoolStats } {
  const dialOptions = { allowPrivateHosts: options.allowPrivateHosts, extraCa: options.extraCa }
  const capOf = (host: string): number | null => findServiceOfHost(host)?.maxConnections ?? null
  const pool = createImapPool({ ...options, ...dialOptions, capOf })
  const folders = new FolderCache()
  const open = async (handle: InboxHandle, given: unknown): Promise<MailAdapter> => {
    const credential = parseCredential(imapCredentialSchema, given)
    const { inboxId, credentialVersion } = handle
    return createImapAdapter({
      account: { inboxId, credentialVersion, credential },
      pool,
      folders,
      submission: submissionOf(credential, dialOptions),
      ownerAddresses: handle.ownerAddresses.map((address) => address.toLowerCase()),
      folderRoles: handle.folderRoles,
    })
  }
  const provider: Provider = {
    credential: imapCredentialSchema,
    capabilities: imapCapabilities,
    open,
    check: async (credential, call) =>
      checkConnection(parseCredential(imapCredentialSchema, credential), dialOptions, call),
    drain: async (inboxId) => {
      folders.drop(inboxId)
      await pool.drain(inboxId)
    },
    close: async () => {
      folders.close()
      await pool.close()
    },
  }
  return { provider, stats: () => pool.stats() }
}

/** How a mailbox sends, or null where its owner named no submission server. */
function submissionOf(credential: ImapCredential, options: SmtpOptions): SmtpSubmission | null {
  const account = smtpAccount(credential)
  if (account === null) return null
  const savesSentCopy = findServiceOfSmtpHost(account.host)?.smtp.savesSentCopy ?? false
  return { account, options, savesSentCopy }
}

function sandboxProvider(): Provider {
  let mailboxes: SandboxMailboxes | null = null
  return {
    credential: sandboxCredentialSchema,
    capabilities: memoryCapabilities,
    async open({ inboxId, emailAddress, ownerAddresses }, credential) {
      const { startedAt } = parseCredential(sandboxCredentialSchema, credential)
      const [{ createMemoryAdapter }, { createSandboxMailboxes }] = await Promise.all([
        import('./memory/index.ts'),
        import('./sandbox/sandbox-mailboxes.ts'),
      ])
      mailboxes ??= createSandboxMailboxes()
      const mailbox = await mailboxes.open({
        inboxId,
        ownerAddress: emailAddress,
        startedAt: new Date(startedAt),
      })
      return createMemoryAdapter(mailbox, { provider: 'sandbox', ownAddresses: ownerAddresses })
    },
    async check(credential) {
      parseCredential(sandboxCredentialSchema, credential)
      const advice = 'A sandbox needs no mail server.'
      return { ok: true, step: 'done', reason: null, advice, suggestions: [], service: null }
    },
    drain: async () => undefined,
    close: async () => undefined,
  }
}

/** @throws invalid_arguments naming the fields that are wrong, never what stands in them: one is a password. */
function parseCredential<T>(schema: z.ZodType<T>, credential: unknown): T {
  const parsed = schema.safeParse(credential)
  if (parsed.success) return parsed.data
  const fields = [...new Set(parsed.error.issues.map(({ path }) => String(path[0] ?? 'credential')))]
  throw new Fault('invalid_arguments', {
    public: `These settings of the mailbox are missing or not valid: ${fields.join(', ')}. Nothing was changed.`,
    details: { fields },
  })
}
