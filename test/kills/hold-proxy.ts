import { once } from 'node:events'
import { createServer, connect, type Server, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Where the traffic of a connection stands still. */
export type HoldPoint =
  /** A client has come, and hears nothing. */
  | { readonly at: 'connect' }
  /** The client has said a line that matches; `before`: nobody hears it; `after`: it is carried out, and not answered. */
  | { readonly at: 'command'; readonly line: RegExp; readonly when: 'before' | 'after' }
  /** So many octets of the message have passed. */
  | { readonly at: 'body'; readonly octets: number }
  /** All of the message has passed, and what the server says to it does not. */
  | { readonly at: 'dot' }

export interface Upstream {
  readonly host: string
  readonly port: number
  /** TLS from the first octet, with that authority; null: none. */
  readonly caPem: string | null
}

/** A way to a mail server that can be made to stand still at a point of the protocol. It is plain on the near side. */
export interface HoldProxy {
  readonly port: number
  /** @returns what settles once something stands still there. Only the first connection that comes so far is held. */
  holdAt(point: HoldPoint): Promise<void>
  /** Cuts what stands still, and holds nothing more. */
  release(): void
  close(): Promise<void>
}

export async function startHoldProxy(upstream: Upstream): Promise<HoldProxy> {
  const state: State = { hold: null, sockets: new Set() }
  const server = createServer((near) => void join(near, upstream, state))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: portOf(server),
    holdAt(point) {
      const { promise, resolve } = Promise.withResolvers<void>()
      state.hold = { point, reached: resolve }
      return promise
    },
    release() {
      state.hold = null
      for (const socket of state.sockets) socket.destroy()
    },
    async close() {
      state.hold = null
      for (const socket of state.sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

interface State {
  hold: { readonly point: HoldPoint; readonly reached: () => void } | null
  readonly sockets: Set<Socket>
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server without a port')
  return address.port
}

async function join(near: Socket, { host, port, caPem }: Upstream, state: State): Promise<void> {
  state.sockets.add(near)
  near.on('error', () => near.destroy())
  near.once('close', () => state.sockets.delete(near))
  if (state.hold?.point.at === 'connect') {
    take(state)
    near.resume()
    return
  }
  const far = caPem === null ? connect({ host, port }) : connectTls({ host, port, ca: caPem })
  state.sockets.add(far)
  far.on('error', () => near.destroy())
  far.once('close', () => {
    state.sockets.delete(far)
    near.destroy()
  })
  near.once('close', () => far.destroy())
  await once(far, caPem === null ? 'connect' : 'secureConnect').catch(() => far.destroy())
  const pass = new Passage(state, near, far)
  near.on('data', (chunk: Buffer) => pass.fromClient(chunk))
  far.on('data', (chunk: Buffer) => pass.fromServer(chunk))
}

function take(state: State): void {
  const reached = state.hold?.reached
  state.hold = null
  reached?.()
}

/** One connection: what passes, until it stands still. */
class Passage {
  readonly #state: State
  readonly #near: Socket
  readonly #far: Socket
  #isStill = false
  /** Set once a command was heard whose answer is not to pass. */
  #muteFrom: RegExp | null = null
  #line = ''
  #body: { passed: number; tail: string } | null = null

  constructor(state: State, near: Socket, far: Socket) {
    this.#state = state
    this.#near = near
    this.#far = far
  }

  fromClient(chunk: Buffer): void {
    if (this.#isStill) return
    const point = this.#state.hold?.point
    if (this.#body !== null) return this.#passBody(chunk, this.#body)
    this.#line = lastLine(this.#line + chunk.toString('latin1'))
    if (point?.at === 'command') {
      const said = linesOf(chunk).find((line) => point.line.test(line))
      if (said !== undefined && point.when === 'before') return this.#stop()
      if (said !== undefined) this.#muteFrom = answerTo(said)
    }
    this.#far.write(chunk)
  }

  fromServer(chunk: Buffer): void {
    if (this.#isStill) return
    const text = chunk.toString('latin1')
    if (/^354/m.test(text)) this.#body = { passed: 0, tail: '' }
    const from = this.#muteFrom === null ? -1 : text.search(this.#muteFrom)
    if (from === -1) {
      this.#near.write(chunk)
      return
    }
    this.#near.write(chunk.subarray(0, from))
    this.#stop()
  }

  #passBody(chunk: Buffer, body: { passed: number; tail: string }): void {
    const point = this.#state.hold?.point
    if (point?.at === 'body' && body.passed + chunk.length > point.octets) {
      this.#far.write(chunk.subarray(0, point.octets - body.passed))
      return this.#stop()
    }
    body.passed += chunk.length
    body.tail = (body.tail + chunk.toString('latin1')).slice(-5)
    if (body.tail.endsWith('\r\n.\r\n')) {
      this.#body = null
      if (point?.at === 'dot') this.#muteFrom = /^/
    }
    this.#far.write(chunk)
  }

  #stop(): void {
    this.#isStill = true
    take(this.#state)
  }
}

function linesOf(chunk: Buffer): readonly string[] {
  return chunk.toString('latin1').split('\r\n')
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1)
}

/** The end of the answer: under IMAP the line with the tag, under SMTP whatever comes. */
function answerTo(command: string): RegExp {
  const tag = /^([A-Za-z0-9]+) (?:UID |APPEND|STORE|EXPUNGE|COPY|MOVE|CREATE|DELETE|RENAME)/i.exec(
    command,
  )?.[1]
  return tag === undefined ? /^/ : new RegExp(`^${tag} `, 'm')
}
