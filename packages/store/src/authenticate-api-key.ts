import { parseApiKey, verifyApiKey, type Principal } from '@postern/access'
import { Fault } from '@postern/core'
import type { KeyRing } from '@postern/vault'
import type { Database } from './database.ts'
import { hashApiKey } from './hash-api-key.ts'
import { findApiKey, type FoundApiKey } from './system.ts'

const dummy = new Uint8Array(32)

/**
 * The principal behind a token. Reads the key's row each time, so that a revocation acts on the next call of
 * every process.
 * @throws unauthenticated, in one wording for malformed, unknown, wrong, revoked and expired keys and for those
 * of a suspended tenant: which it was stands in the internal text. service_busy without a database.
 */
export async function authenticateApiKey(
  db: Database,
  keyRing: KeyRing,
  token: string,
  now: Date,
): Promise<Principal> {
  const parsed = parseApiKey(token)
  if (parsed === null) throw unauthenticated('not shaped like a key')
  const found = await findApiKey(db, parsed.lookup)
  // An unknown lookup takes the same steps: the time must not tell it from a wrong secret.
  const computed = hashApiKey(keyRing, found?.pepperKeyId ?? keyRing.currentKeyId, parsed.secret)
  const isRight = verifyApiKey(found?.secretHmac ?? dummy, computed ?? dummy)
  if (found === null) throw unauthenticated('unknown lookup')
  if (computed === null) throw unauthenticated(`hashed under key ${found.pepperKeyId}, which the ring lacks`)
  if (!isRight) throw unauthenticated('wrong secret')
  requireAlive(found, now)
  return {
    kind: 'api_key',
    principalId: found.apiKeyId,
    tenantId: found.tenantId,
    plan: found.plan,
    grant: { scopes: found.scopes, inboxIds: found.inboxIds, expiresAt: found.expiresAt },
  }
}

function requireAlive(key: FoundApiKey, now: Date): void {
  if (key.revokedAt !== null) throw unauthenticated('revoked')
  if (key.expiresAt !== null && key.expiresAt <= now) throw unauthenticated('expired')
  if (!key.isTenantActive) throw unauthenticated('tenant suspended')
}

function unauthenticated(internal: string): Fault {
  return new Fault('unauthenticated', {
    public: 'Unknown, revoked or expired key. Nothing was done. Ask the owner of the mailbox for a new key.',
    internal: `api key: ${internal}`,
  })
}
