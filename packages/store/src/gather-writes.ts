import type { Duplex } from 'node:stream'

/**
 * What is written until this turn of the event loop ends leaves in one system call, the dearest part of a small query.
 */
export function gatherWrites(stream: Duplex): void {
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}
