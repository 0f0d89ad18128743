import type { Socket } from 'node:net'
import pg from 'pg'
import { gatherWrites } from './gather-writes.ts'

/**
 * A few connections that many callers share, each writing its statements behind those of the others without
 * waiting for their answers (PostgreSQL's pipelining). For short reads only: a slow statement holds up what
 * stands behind it. Statements written in one go stay together, so a whole transaction may be one go.
 */
export interface Lanes {
  /** One of the connections in turn, dialled if need be; write to it before the next `await`. */
  pick(): Promise<pg.Client>
  close(): Promise<void>
}

interface Lane {
  connecting: Promise<pg.Client> | null
  socket: Socket | null
}

export interface LanesOptions {
  readonly config: pg.ClientConfig
  readonly count: number
  readonly makeSocket: () => Socket
}

export function createLanes({ config, count, makeSocket }: LanesOptions): Lanes {
  const lanes: Lane[] = Array.from({ length: count }, () => ({ connecting: null, socket: null }))
  let next = 0
  let isClosed = false
  return {
    pick: async () => {
      if (isClosed) throw new Error('Connection terminated')
      next = (next + 1) % lanes.length
      const lane = lanes[next]
      if (lane === undefined) throw new RangeError('there are no lanes')
      // Given up for its silence, but not yet reported as closed.
      if (lane.socket?.destroyed === true) lane.connecting = null
      const client = await (lane.connecting ?? connect(lane, config, makeSocket()))
      if (lane.socket !== null) gatherWrites(lane.socket)
      return client
    },
    close: async () => {
      isClosed = true
      // A connection that did not come about needs no end.
      const ends = lanes.map(async ({ connecting }) => (await connecting)?.end())
      await Promise.allSettled(ends)
    },
  }
}

function connect(lane: Lane, config: pg.ClientConfig, socket: Socket): Promise<pg.Client> {
  const client = new pg.Client({ ...config, pipeline: true, stream: () => socket })
  const connecting = client.connect().then(() => client)
  const forget = (): void => {
    if (lane.connecting === connecting) lane.connecting = null
  }
  // Whoever waits for an answer gets the error from there; here the next caller gets a new connection.
  client.on('error', forget)
  client.on('end', forget)
  connecting.catch(forget)
  lane.connecting = connecting
  lane.socket = socket
  return connecting
}
