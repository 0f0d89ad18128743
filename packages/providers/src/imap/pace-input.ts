import type { ImapFlow } from 'imapflow'

/** Octets that are parsed before everything else in the process has its turn: of short lines some ten milliseconds. */
const sliceOctets = 8 * 1024

type Parse = (chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void) => void

/** The stream in which imapflow takes octets apart; like `exec` it is missing from the type declarations. */
interface RawClient {
  readonly streamer: { _transform: Parse }
}

/**
 * Has imapflow parse what a server sends slice by slice. By itself it parses all that a socket delivers at once,
 * megabytes of short lines from a fast server, and keeps every other mailbox waiting meanwhile.
 *
 * Only for a session that is logged in: before STARTTLS octets must wait where imapflow looks for those that were
 * slipped in.
 */
export function paceInput(client: ImapFlow): void {
  const { streamer } = client as unknown as RawClient
  const parse: Parse = streamer._transform.bind(streamer)
  streamer._transform = (chunk, encoding, done) => {
    const parseFrom = (start: number): void => {
      if (start >= chunk.length) {
        done()
        return
      }
      const end = start + sliceOctets
      parse(chunk.subarray(start, end), encoding, (error) => {
        if (error) done(error)
        else setImmediate(parseFrom, end)
      })
    }
    parseFrom(0)
  }
}
