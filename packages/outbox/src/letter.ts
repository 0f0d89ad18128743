import type { Mailbox, Recipients } from './mailbox.ts'
import type { OutgoingFile } from './outgoing-file.ts'

/** What a message says and to whom, before it is octets. Drafts, sends, replies and forwards are all made of it. */
export interface Letter extends Recipients {
  readonly from: Mailbox
  readonly replyTo: Mailbox | null
  /** 1 to `maxSubjectChars` characters, one line. */
  readonly subject: string
  /** The whole text, signature and quote included, in any line ending. */
  readonly text: string
  /** The same in HTML, as it will be sent; null for text alone. */
  readonly html: string | null
  /** Message ids in brackets. */
  readonly inReplyTo: string | null
  readonly references: readonly string[]
  readonly files: readonly OutgoingFile[]
}

/** The moment and the chance that a message is built with: the same ones give the same octets. */
export interface Making {
  readonly now: Date
  /** 16 to 64 characters of base62, never used for another message. */
  readonly token: string
}

/** What a caller wrote: text, and its HTML form where there is one. */
export interface OwnText {
  readonly text: string
  readonly html: string | null
}
