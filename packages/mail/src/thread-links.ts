import { findHeader, type HeaderField } from './header.ts'

/** What a message says of itself and of what it answers. */
export interface ThreadLinks {
  /** With its brackets, or null where there is none that could be looked for. */
  readonly messageId: string | null
  /** Ids of what it answers, the oldest first: the last one is its parent. Without its own. */
  readonly chain: readonly string[]
}

// A chain says where a conversation began and what is answered; the middle of a long one adds nothing to that.
const firstIds = 20
const lastIds = 60
/** Octets of a header that are looked at, on either end. */
const maxOctets = 32 * 1024
const maxIdChars = 250

// RFC 5322 3.6.4 `msg-id`, of printable ASCII without blanks: whatever else a header holds is not worth asking a server.
const idPattern = /<[\x21-\x3b\x3d\x3f-\x7e]{1,248}>/g

/**
 * The ids of Message-ID, References and In-Reply-To. A parent that In-Reply-To names and References lacks comes last;
 * whatever is no id is passed over. Linear in the header.
 * Source: RFC 5322 3.6.4.
 */
export function readThreadLinks(headers: readonly HeaderField[]): ThreadLinks {
  const messageId = idsIn(findHeader(headers, 'Message-ID'))[0] ?? null
  const references = idsIn(findHeader(headers, 'References'))
  const answered = idsIn(findHeader(headers, 'In-Reply-To')).slice(0, 1)
  const parent = answered.find((id) => !references.includes(id)) ?? references.at(-1)
  const ids = new Set([...references, ...(parent === undefined ? [] : [parent])])
  const chain = [...ids].filter((id) => id !== parent && id !== messageId)
  return { messageId, chain: parent === undefined || parent === messageId ? chain : [...chain, parent] }
}

function idsIn(value: string | null): readonly string[] {
  if (value === null) return []
  const isLong = value.length > 2 * maxOctets
  const text = isLong ? `${value.slice(0, maxOctets)} ${value.slice(-maxOctets)}` : value
  const ids = text.match(idPattern)?.filter(({ length }) => length <= maxIdChars) ?? []
  return ids.length <= firstIds + lastIds ? ids : [...ids.slice(0, firstIds), ...ids.slice(-lastIds)]
}
