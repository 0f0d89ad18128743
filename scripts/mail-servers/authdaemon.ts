import { once } from 'node:events'
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { mailUid } from './isolate.ts'
import { password } from './server-kind.ts'

// Lines such as `TCPREMOTEIP=...` may stand before it.
const request = /^AUTH (\d+)\n/m
const safeName = /^[\w.@+-]{1,100}$/

/**
 * Answers as Courier's authdaemond does, letting any user in who knows the test password and making the
 * Maildir at the first login. A request is `AUTH`, the length of the rest, and the rest by lines: service,
 * kind of login, name, password. The answer is attributes by lines and a lone dot, or FAIL.
 */
export async function listenAsAuthdaemon(socketPath: string, home: string): Promise<Server> {
  const server = createServer((socket) => {
    let received = ''
    socket.setEncoding('utf8')
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: string) => {
      received += chunk
      const head = request.exec(received)
      if (head === null) return
      const rest = received.slice(head.index + head[0].length)
      if (Buffer.byteLength(rest) >= Number(head[1])) void answer(socket, rest, home)
    })
  })
  server.listen(socketPath)
  await once(server, 'listening')
  await chmod(socketPath, 0o777)
  return server
}

async function answer(socket: Socket, rest: string, home: string): Promise<void> {
  const [, , name = '', given] = rest.split('\n')
  if (given !== password || !safeName.test(name)) {
    socket.end('FAIL\n')
    return
  }
  const folder = join(home, name)
  await makeMaildir(join(folder, 'Maildir'))
  const id = String(mailUid)
  socket.end(`UID=${id}\nGID=${id}\nHOME=${folder}\nADDRESS=${name}\nMAILDIR=${folder}/Maildir\n.\n`)
}

// Maildir++: a subfolder is a Maildir named with a leading dot that holds a marker file.
async function makeMaildir(maildir: string): Promise<void> {
  for (const sub of ['', '.Drafts', '.Sent', '.Trash']) {
    const folder = join(maildir, sub)
    for (const part of ['cur', 'new', 'tmp']) await mkdir(join(folder, part), { recursive: true })
    if (sub !== '') await writeFile(join(folder, 'maildirfolder'), '')
    for (const path of [folder, join(folder, 'cur'), join(folder, 'new'), join(folder, 'tmp')]) {
      await chown(path, mailUid, mailUid)
    }
  }
  await chown(join(maildir, '..'), mailUid, mailUid)
}
