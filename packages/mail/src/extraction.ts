import type { PackedKind } from './document-kind.ts'

/** What is asked of a reader of documents, in plain data, so that it can be asked in another thread. */
export interface ExtractionTask {
  readonly kind: PackedKind
  readonly octets: Uint8Array
  /** UTF-16 units of text after which it stops. */
  readonly maxChars: number
}

/** What came of it: text that still has to pass the sanitiser. */
export interface Extraction {
  readonly text: string
  readonly isCut: boolean
  /** Pieces of text that the document keeps out of sight, left out. */
  readonly hiddenTextRemoved: number
  /** Why there is less than there may be: it needs a password, is not what it claims, or unfolds into too much. */
  readonly problem: 'encrypted' | 'damaged' | 'too_large' | null
}
