import type { Message, MessageRef } from './message.ts'

/** What a message is placed in a conversation by, and what tells who wrote it. */
export const threadHeaders = [
  'From',
  'To',
  'Cc',
  'Subject',
  'Date',
  'Message-ID',
  'Content-Type',
  'In-Reply-To',
  'References',
  'Authentication-Results',
] as const

/** A conversation by one of its messages, or by the provider's own id of it. */
export type ThreadRef = MessageRef | { readonly nativeThreadId: string }

/** The messages of one conversation, oldest first, each once, those that were sent included. */
export interface Thread {
  /** The provider's own id, or null where threads are derived. */
  readonly nativeThreadId: string | null
  /** With `threadHeaders` at least; structure and content are `getMessages`' to bring. Never empty. */
  readonly messages: readonly Message[]
  /** False when some folder could not be looked into, or a bound was reached. */
  readonly isComplete: boolean
}
