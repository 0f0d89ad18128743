import type { FileContent } from '../../context.ts'
import type { ActionContext } from '../../define-tool.ts'
import type { PartId } from '@postern/mail'
import * as z from 'zod'
import { onlyInbox } from '../../only-inbox.ts'

/** A file that was read to its end, and what it is called outside. */
export interface Handout {
  readonly messageId: string
  /** Null: the stored message itself. */
  readonly partId: PartId | null
  /** One clean line. */
  readonly name: string
  readonly mimeType: string
  readonly sizeBytes: number
  /** Its octets, where they are wanted in the result. */
  readonly octets: Uint8Array | null
}

/** The fields that tell where a file can be fetched. */
export const downloadFields = {
  download_url: z.string().describe('GET it without a credential; it names this file alone.'),
  download_expires_at: z.string(),
  download_uses: z.number().int(),
} as const

/** Pictures that every client with eyes knows; others, drawings that hold scripts among them, go as files. */
const pictures: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const sounds = /^audio\/(?:mpeg|mp4|wav|x-wav|ogg|aac|flac|webm)$/

/** Makes the link, puts it behind the text as well, and the octets behind that. */
export async function handOut(
  file: Handout,
  { deps, principal, attach, ...context }: ActionContext,
): Promise<{ download_url: string; download_expires_at: string; download_uses: number }> {
  const { inboxId } = onlyInbox({ deps, principal, attach, ...context })
  const { messageId, partId, name, mimeType, sizeBytes } = file
  const { url, expiresAt, uses } = await deps.downloads.make(principal, { inboxId, messageId, partId })
  attach({ type: 'resource_link', uri: url, name, mimeType, size: sizeBytes })
  if (file.octets !== null) attach(contentOf(file, file.octets))
  return { download_url: url, download_expires_at: expiresAt.toISOString(), download_uses: uses }
}

function contentOf({ messageId, partId, mimeType }: Handout, octets: Uint8Array): FileContent {
  const data = Buffer.from(octets).toString('base64')
  if (pictures.has(mimeType)) return { type: 'image', data, mimeType }
  if (sounds.test(mimeType)) return { type: 'audio', data, mimeType }
  const uri = `postern:${messageId}/${encodeURIComponent(partId ?? 'original')}`
  return { type: 'resource', resource: { uri, mimeType, blob: data } }
}
