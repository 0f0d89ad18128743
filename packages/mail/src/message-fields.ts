import type { Address } from './address.ts'
import { decodeHeader } from './decode-header.ts'
import { findHeader, listHeaders, type HeaderField } from './header.ts'
import { parseAddresses } from './parse-addresses.ts'
import { parseStructuredHeader } from './parse-structured-header.ts'
import { walkParts, type Part } from './part.ts'
import { rawText, type RawText } from './text.ts'

/** The header fields of a message as text. Rows, full reads and local search all read them here, and so agree. */
export interface MessageFields {
  readonly from: readonly Address[]
  readonly sender: Address | null
  readonly replyTo: readonly Address[]
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly bcc: readonly Address[]
  readonly subject: RawText
  /** The Date header as the sender wrote it; `receivedAt` is the server's word. */
  readonly date: RawText | null
  /** With its angle brackets, as written. */
  readonly rfcMessageId: RawText | null
}

/**
 * Reads what was fetched; a field that was not, or is not there, is empty. Never throws. Recipients may stand
 * in several fields of one name, which RFC 5322 3.6 forbids and some senders do; of other fields the topmost
 * counts. `tree` helps raw 8-bit headers of a multipart, whose charset only its parts declare.
 */
export function readMessageFields(headers: readonly HeaderField[], tree: Part | null = null): MessageFields {
  const charset = declaredCharset(headers, tree)
  const recipients = (name: string): readonly Address[] =>
    listHeaders(headers, name).flatMap((value) => parseAddresses(value, charset))
  const addresses = (name: string): readonly Address[] =>
    parseAddresses(findHeader(headers, name) ?? '', charset)
  const text = (name: string): RawText | null => {
    const value = findHeader(headers, name)
    return value === null ? null : decodeHeader(value, charset)
  }
  return {
    from: addresses('From'),
    sender: addresses('Sender')[0] ?? null,
    replyTo: addresses('Reply-To'),
    to: recipients('To'),
    cc: recipients('Cc'),
    bcc: recipients('Bcc'),
    subject: text('Subject') ?? rawText(''),
    date: text('Date'),
    rfcMessageId: text('Message-ID'),
  }
}

/** The charset a message declares for its body: the best witness for raw 8-bit octets in its header. */
function declaredCharset(headers: readonly HeaderField[], tree: Part | null): string | null {
  const value = findHeader(headers, 'Content-Type')
  const own = value === null ? undefined : parseStructuredHeader(value).params.get('charset')
  if (own !== undefined || tree === null) return own ?? null
  const part = walkParts(tree).find(({ params }) => params.has('charset'))
  return part?.params.get('charset') ?? null
}
