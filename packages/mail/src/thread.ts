import type { Message } from './message.ts'

/** The messages of one conversation, oldest first, those that were sent included. */
export interface Thread {
  /** The provider's own id, or null where threads are derived. */
  readonly nativeThreadId: string | null
  readonly messages: readonly Message[]
  /** False when some folder could not be looked into, or a bound was reached. */
  readonly isComplete: boolean
}
