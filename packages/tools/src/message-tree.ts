import { Fault } from '@postern/core'
import { parseMime, type Call, type Message, type Part, type PartStream, type ReadMail } from '@postern/mail'

/** Largest stored message that is parsed whole, where the server's description of it cannot be used. */
const maxOriginalBytes = 25 * 1024 * 1024

/**
 * The part tree of a message: as the provider described it, or parsed from the stored octets where that description
 * cannot be read. Then `isWhole`, and every part has its content.
 * @throws message_too_large, provider_*, timeout.
 */
export async function messageTree(
  mail: ReadMail,
  message: Message,
  call: Call,
): Promise<{ readonly tree: Part; readonly isWhole: boolean }> {
  if (message.tree !== null) return { tree: message.tree, isWhole: false }
  const original = await mail.openPart(message.ref, 'original', call)
  return { tree: parseMime(await collect(original)).tree, isWhole: true }
}

async function collect({ octets }: PartStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of octets) {
    size += chunk.length
    if (size > maxOriginalBytes) {
      throw new Fault('message_too_large', {
        public:
          'The structure of this message cannot be read without reading all of it, and it is larger than 25 MB. Nothing was changed; list and search still show its row.',
        details: { limit_bytes: maxOriginalBytes },
      })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
