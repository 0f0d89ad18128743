import type { Grant } from './grant.ts'
import type { Plan } from './limits.ts'

/** The authenticated caller. `principalId` is the API key's (or later the OAuth grant's) id. */
export interface Principal {
  readonly kind: 'api_key'
  readonly principalId: string
  readonly tenantId: string
  readonly grant: Grant
  /** The tenant's, which decides its limits. */
  readonly plan: Plan
}
