import {
  chooseBody,
  decodeText,
  rawText,
  rowHeaders,
  type Message,
  type MessageRow,
  type Part,
  type Preview,
} from '@postern/mail'
import { packLocator, type PlacedMessage } from './mailbox.ts'
import type { MemorySession } from './session.ts'

const previewCharacters = 200
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

/** The first words of the plain body, as a server with PREVIEW (RFC 8970) would say them. */
function previewOf({ message }: PlacedMessage): Preview | null {
  const first = chooseBody(message.parsed.tree).parts.find(({ kind }) => kind === 'plain')?.part
  if (first === undefined || first.content === null) return null
  const { text } = decodeText(first.content.subarray(0, 1024), first.params.get('charset') ?? null)
  return { kind: 'text', text: rawText(text.trim().slice(0, previewCharacters).toWellFormed()) }
}
