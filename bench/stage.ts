import type { BenchService } from './service.ts'

/** A mailbox of 100,000 messages, the service as it ships, and what both are measured with. */
export interface Stage {
  readonly service: BenchService
  readonly key: string
  readonly inboxId: string
  readonly tenantId: string
  readonly mail: {
    readonly host: string
    readonly port: number
    readonly plainPort: number
    readonly user: string
    readonly pass: string
    readonly ca: string
  }
}
