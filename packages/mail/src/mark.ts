/** The four flags of a message that mean the same everywhere. */
export interface Flags {
  readonly seen: boolean
  readonly answered: boolean
  readonly flagged: boolean
  readonly draft: boolean
}
