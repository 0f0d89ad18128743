import { connectInbox, type Connected } from '@postern/inboxes'
import { createProviders, sandboxAuthservId } from '@postern/providers'
import { listInboxes, withTenant, type Database } from '@postern/store'
import type { KeyRing } from '@postern/vault'
import { callWithin } from './call-within.ts'

export interface SandboxRequest {
  readonly database: Database
  readonly keyRing: KeyRing
  readonly tenantId: string
  /** The mail of the sandbox is dated back from here. */
  readonly now: Date
  /** Left out: Robin's, the owner in the mail, with a number where that is taken. */
  readonly address?: string
}

/** Connects a mailbox of made-up mail, so that anyone can try Postern without giving it one. */
export async function connectSandbox(request: SandboxRequest): Promise<Connected> {
  const { database: db, keyRing, tenantId, now } = request
  const providers = createProviders({ allowPrivateHosts: false })
  try {
    return await connectInbox(
      { db, keyRing, providers },
      {
        tenantId,
        provider: 'sandbox',
        emailAddress: request.address ?? (await freeAddress(db, tenantId)),
        credential: { startedAt: now.toISOString() },
        displayName: 'Robin Hale',
        authservIds: [sandboxAuthservId],
      },
      callWithin(30),
    )
  } finally {
    await providers.close()
  }
}

async function freeAddress(db: Database, tenantId: string): Promise<string> {
  const taken = new Set(
    (await withTenant(db, tenantId, listInboxes)).map(({ emailAddress }) => emailAddress.toLowerCase()),
  )
  for (let number = 1; ; number += 1) {
    const address = `robin${number === 1 ? '' : String(number)}@sandbox.example`
    if (!taken.has(address)) return address
  }
}
