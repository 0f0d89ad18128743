import type { Call, MessageRef, PartId, PartStream } from '@postern/mail'
import { enterVerb } from './faults.ts'
import { findContent } from './read-parts.ts'
import type { MemorySession } from './session.ts'

const chunkBytes = 64 * 1024

export async function openPart(
  session: MemorySession,
  ref: MessageRef,
  part: { partId: PartId; encoding: string } | 'original',
  call: Call,
): Promise<PartStream> {
  await enterVerb(session, 'openPart', call)
  const { raw, parsed } = session.mailbox.locate(ref).message
  const octets = part === 'original' ? raw : findContent(parsed.tree, part.partId)
  return { sizeBytes: octets.length, octets: inChunks(octets, call) }
}

async function* inChunks(octets: Uint8Array, call: Call): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < octets.length; at += chunkBytes) {
    call.signal.throwIfAborted()
    yield octets.subarray(at, at + chunkBytes)
  }
}
