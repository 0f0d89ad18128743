import type { Fault } from '@postern/core'
import type { PartStream } from '@postern/mail'

/** All octets of a stream. @throws what `tooLarge` makes, as soon as there are more than `maxBytes`. */
export async function collect(
  { octets }: PartStream,
  maxBytes: number,
  tooLarge: () => Fault,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of octets) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
