import { Fault } from '@postern/core'
import { createHash } from 'node:crypto'
import { maxFileBytes } from '../../open-file.ts'

/** What is known of a file once its last octet has come by. */
export interface ReadOctets {
  readonly sizeBytes: number
  /** Hexadecimal. */
  readonly sha256: string
  /** All octets, or null when there are more than were to be kept. */
  readonly octets: Uint8Array | null
}

/**
 * Reads a file to its end, holding no more of it than `keepBytes`.
 * @throws attachment_too_large above 25 MB; what the stream throws.
 */
export async function readOctets(
  stream: AsyncIterable<Uint8Array>,
  keepBytes: number,
  what: 'attachment' | 'message',
): Promise<ReadOctets> {
  const hash = createHash('sha256')
  let kept: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of stream) {
    sizeBytes += chunk.length
    if (sizeBytes > maxFileBytes) throw tooLarge(what)
    hash.update(chunk)
    if (sizeBytes <= keepBytes) kept.push(chunk)
    else kept = []
  }
  return {
    sizeBytes,
    sha256: hash.digest('hex'),
    octets: sizeBytes <= keepBytes ? Buffer.concat(kept) : null,
  }
}

function tooLarge(what: 'attachment' | 'message'): Fault {
  return new Fault(what === 'message' ? 'message_too_large' : 'attachment_too_large', {
    public: `This ${what} has more than the 25 MB that are handed out. Nothing was changed; the owner can open it in a mail program.`,
    details: { limit_bytes: maxFileBytes },
  })
}
