import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'

/** A plain TCP relay that counts octets and keeps what the client said. */
export interface TeeProxy {
  readonly port: number
  /** Octets the server sent since the last reset. */
  received(): number
  /** Lines the client sent since the last reset, cut to 160 characters; literals and logins are left out. */
  commands(): readonly string[]
  reset(): void
  close(): void
}

export async function startTeeProxy(host: string, port: number): Promise<TeeProxy> {
  let octets = 0
  let said = ''
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, host)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1')
      upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      octets += chunk.length
      client.write(chunk)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port')
  return {
    port: address.port,
    received: () => octets,
    commands: () =>
      said
        .split('\r\n')
        .filter((line) => line !== '' && !/LOGIN|AUTHENTICATE/i.test(line))
        .map((line) => line.slice(0, 160)),
    reset() {
      octets = 0
      said = ''
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
