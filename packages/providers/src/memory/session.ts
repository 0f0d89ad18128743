import type { MemoryFaults } from './faults.ts'
import type { MemoryMailbox } from './mailbox.ts'
import type { MemoryPost } from './post.ts'

/** What each verb of the adapter gets. */
export interface MemorySession {
  readonly mailbox: MemoryMailbox
  /** Addresses of the owner, for `from:me`. */
  readonly ownAddresses: readonly string[]
  readonly faults: MemoryFaults
  /** Where what is sent goes. */
  readonly post: MemoryPost
}
