import {
  chooseBody,
  decodeText,
  rawText,
  renderSnippet,
  rowHeaders,
  type Message,
  type MessageRow,
  type Part,
  type Preview,
} from '@postern/mail'
import { packLocator, type PlacedMessage } from './mailbox.ts'
import type { MemorySession } from './session.ts'

/** Octets of the body that are enough for a snippet. */
const previewOctets = 4_096
/** RFC 8970 3.2: at most so many characters. */
const previewCharacters = 256
const wanted: ReadonlySet<string> = new Set(rowHeaders.map((name) => name.toLowerCase()))

/** A stored message as a noun: every header field, and the tree without the content, which is read part by part. */
export function toMessage({ folder, message }: PlacedMessage): Message {
  return {
    ref: { locator: packLocator(folder, message) },
    folderId: folder.folderId,
    folderName: rawText(folder.path.slice(folder.path.lastIndexOf('/') + 1)),
    labels: message.keywords,
    flags: message.flags,
    receivedAt: message.receivedAt,
    sizeBytes: message.raw.length,
    nativeThreadId: null,
    headers: message.parsed.headers,
    tree: withoutContent(message.parsed.tree),
    preview: null,
  }
}

/** The same as a row of a page: the header fields of a row, and first words. `rank` counts arrivals from 1. */
export function toRow(session: MemorySession, placed: PlacedMessage, rank: number | null): MessageRow {
  const message = toMessage(placed)
  const tie = Buffer.from(message.ref.locator).toString('hex')
  const anchor = { receivedAt: message.receivedAt, tie, rank }
  if (session.faults.brokenMessages?.has(tie)) {
    return { message: { ...message, headers: [], tree: null }, isBroken: true, anchor }
  }
  const headers = message.headers.filter(({ name }) => wanted.has(name.toLowerCase()))
  return { message: { ...message, headers, preview: previewOf(placed) }, isBroken: false, anchor }
}

function withoutContent(part: Part): Part {
  return { ...part, content: null, children: part.children.map(withoutContent) }
}

/** The first words of the body, as a server with PREVIEW (RFC 8970) would say them. */
export function previewOf({ message }: PlacedMessage): Preview | null {
  const [first] = chooseBody(message.parsed.tree).parts
  const content = first?.part.content ?? null
  if (first === undefined || content === null) return null
  const { text } = decodeText(content.subarray(0, previewOctets), first.part.params.get('charset') ?? null)
  const words = renderSnippet({ kind: first.kind, text }, previewCharacters)
  return words === null ? null : { kind: 'text', text: rawText(words) }
}
