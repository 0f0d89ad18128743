/**
 * One header field as it stands in the message: name as written, value unfolded (CRLF before white space
 * removed), one character per octet, so that nothing is lost before the charset is known.
 */
export interface HeaderField {
  readonly name: string
  readonly value: string
}

/** What a row needs. Message-ID is there for identity, Content-Type for the charset of raw 8-bit headers. */
export const rowHeaders = ['From', 'To', 'Subject', 'Date', 'Message-ID', 'Content-Type'] as const

/** What a row of a draft has: everyone whom it is to. */
export const draftHeaders = [...rowHeaders, 'Cc', 'Bcc'] as const

/** What a full read needs beyond a row. */
export const messageHeaders = [
  ...rowHeaders,
  'Sender',
  'Reply-To',
  'Cc',
  'Bcc',
  'In-Reply-To',
  'References',
  'Authentication-Results',
  'List-Id',
  'List-Unsubscribe',
] as const

/** First field of that name (any case), or null. */
export function findHeader(headers: readonly HeaderField[], name: string): string | null {
  const wanted = name.toLowerCase()
  return headers.find((field) => field.name.toLowerCase() === wanted)?.value ?? null
}

/** Every field of that name, topmost first. */
export function listHeaders(headers: readonly HeaderField[], name: string): readonly string[] {
  const wanted = name.toLowerCase()
  return headers.filter((field) => field.name.toLowerCase() === wanted).map((field) => field.value)
}
