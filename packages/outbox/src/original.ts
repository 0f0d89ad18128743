import { type Address, type CleanText, type HeaderField, type MessageFields } from '@postern/mail'
import { parseAddrSpec } from './addr-spec.ts'
import { cleanName, distinctMailboxes, type Mailbox } from './mailbox.ts'

/** The message that is answered or forwarded. A stranger wrote it: what goes on to others is clean text. */
export interface Original {
  /** The whole set of `messageHeaders`. */
  readonly headers: readonly HeaderField[]
  readonly fields: MessageFields
  readonly receivedAt: Date
  /** Of `renderBody` with links `full`: the whole body, history included. */
  readonly text: CleanText
  /** Its clean markup, for a forward with `keepsPictures`; null where it has no HTML. */
  readonly html: CleanText | null
}

/** The addresses of a header that can be written to, each once, names cleaned. What is no strict address is left out. */
export function usableMailboxes(addresses: readonly (Address | null)[]): readonly Mailbox[] {
  return distinctMailboxes(addresses.flatMap((address) => (address === null ? [] : readUsable(address))))
}

function readUsable({ name, email }: Address): readonly Mailbox[] {
  const usable = parseAddrSpec(email)
  if (usable === null) return []
  return [{ name: cleanName(name), email: usable }]
}
