import { generateApiKey, type Scope } from '@postern/access'
import type { KeyRing } from '@postern/vault'
import { addApiKey, type ApiKeyRecord } from './api-keys.ts'
import type { Database } from './database.ts'
import { hashApiKey } from './hash-api-key.ts'
import { withTenant } from './tenant.ts'

export interface ApiKeyRequest {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly inboxIds: readonly string[] | null
  readonly expiresAt: Date | null
}

/**
 * Makes a key. `key` is shown to its owner this once; stored is only a hash under the server's pepper.
 * @throws inbox_not_found.
 */
export async function issueApiKey(
  db: Database,
  keyRing: KeyRing,
  tenantId: string,
  request: ApiKeyRequest,
): Promise<{ record: ApiKeyRecord; key: string }> {
  const { lookup, secret, key } = generateApiKey()
  const pepperKeyId = keyRing.currentKeyId
  const secretHmac = hashApiKey(keyRing, pepperKeyId, secret)
  if (secretHmac === null) throw new RangeError('the ring lacks its current key')
  const record = await withTenant(db, tenantId, (trx) =>
    addApiKey(trx, { ...request, lookup, secretHmac, pepperKeyId }),
  )
  return { record, key }
}
