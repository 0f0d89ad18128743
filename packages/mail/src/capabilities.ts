/** What a mailbox can do, asked at the point of use. */
export interface Capabilities {
  readonly labels: boolean
  readonly move: boolean
  readonly copy: boolean
  readonly push: boolean
  readonly permanentDelete: boolean
  readonly nativeThreads: boolean
  readonly rawQuery: boolean
  readonly savesSentCopy: boolean
  /** `words` (Gmail) or `substring` (IMAP): how a text criterion matches. */
  readonly matching: 'words' | 'substring'
}
