import type { Grant } from './grant.ts'

/** The authenticated caller. `principalId` is the API key's (or later the OAuth grant's) id. */
export interface Principal {
  readonly kind: 'api_key'
  readonly principalId: string
  readonly tenantId: string
  readonly grant: Grant
}
