import { chmod } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { password } from './server-kind.ts'

/**
 * Answers as Cyrus SASL's saslauthd does, letting any user in who knows the test password.
 * A request is four strings (login, password, service, realm), each after its length in two octets; the
 * answer is one such string that starts with OK or NO.
 */
export async function listenAsSaslauthd(socketPath: string): Promise<Server> {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      const strings = countedStrings(received)
      if (strings.length < 4) return
      const answer = strings[1] === password ? 'OK' : 'NO'
      socket.end(Buffer.concat([Buffer.from([0, answer.length]), Buffer.from(answer)]))
    })
  })
  server.listen(socketPath)
  await once(server, 'listening')
  await chmod(socketPath, 0o777)
  return server
}

function countedStrings(octets: Buffer): string[] {
  const strings: string[] = []
  let at = 0
  while (at + 2 <= octets.length) {
    const end = at + 2 + octets.readUInt16BE(at)
    if (end > octets.length) break
    strings.push(octets.toString('utf8', at + 2, end))
    at = end
  }
  return strings
}
