import {
  walkParts,
  type Call,
  type MessageRef,
  type Part,
  type PartContent,
  type PartId,
  type PartRequest,
} from '@postern/mail'
import { enterVerb, partNotFound } from './faults.ts'
import type { MemorySession } from './session.ts'

export async function readParts(
  session: MemorySession,
  ref: MessageRef,
  parts: readonly PartRequest[],
  call: Call,
): Promise<readonly PartContent[]> {
  await enterVerb(session, 'readParts', call)
  const { parsed } = session.mailbox.locate(ref).message
  return parts.map(({ partId, maxBytes }) => {
    const content = findContent(parsed.tree, partId)
    return {
      partId,
      content: content.subarray(0, maxBytes),
      isCut: content.length > maxBytes,
      isDamaged: parsed.damagedParts.includes(partId),
    }
  })
}

/** Decoded octets of a leaf. @throws provider_error for a part that is not there or has no octets of its own. */
export function findContent(tree: Part, partId: PartId): Uint8Array {
  const content = walkParts(tree).find(({ id }) => id === partId)?.content ?? null
  if (content === null) throw partNotFound()
  return content
}
