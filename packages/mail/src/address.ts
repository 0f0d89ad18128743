import type { RawText } from './text.ts'

/** One mailbox of an address header: `name` decoded and without quotes (null when absent), `email` an addr-spec as written. */
export interface Address {
  readonly name: RawText | null
  readonly email: RawText
}
