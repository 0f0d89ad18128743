import { readFile } from 'node:fs/promises'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import {
  scriptedAuthority,
  startScriptedSmtp,
  submissionServer,
  type ScriptedSmtp,
  type SubmissionServerAddress,
  type TestUser,
} from '@postern/fixtures'
import { createTransport } from 'nodemailer'
import type { Disturbance } from '../src/contract/sending-mailbox.ts'
import type { SmtpSubmission } from '../src/imap/send-by-smtp.ts'

export interface WayOut {
  readonly submission: SmtpSubmission
  /** What the next connections meet; null: Postfix. */
  disturb(what: Disturbance | null): void
  close(): Promise<void>
}

/**
 * One port that leads to Postfix, octet for octet, or, while the way is disturbed, to a server that does what Postfix
 * cannot be asked to do. TLS ends at the one or the other, never here.
 */
export async function openWayOut(user: TestUser): Promise<WayOut> {
  const postfix = submissionServer()
  const servers: Readonly<Partial<Record<Disturbance, ScriptedSmtp>>> = {
    message_refused: await startScriptedSmtp({
      tls: 'implicit',
      on: { MESSAGE: (_, { say }) => say('554 5.7.1 not this') },
    }),
    answer_lost_undelivered: await startScriptedSmtp({
      tls: 'implicit',
      on: { MESSAGE: (_, { drop }) => drop() },
    }),
    answer_lost_delivered: await deliveringServer(postfix, user),
  }
  let disturbance: Disturbance | null = null
  const sockets = new Set<Socket>()
  const door = createServer({ noDelay: true }, (client) => {
    client.on('error', () => undefined)
    if (disturbance === 'no_connection') return void client.destroy()
    const server = disturbance === null ? undefined : servers[disturbance]
    join(client, connect(server?.port ?? postfix.submissionsPort, '127.0.0.1'), sockets)
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  const caPem = `${await readFile(postfix.caFile, 'utf8')}\n${scriptedAuthority}`
  const account = {
    host: postfix.host,
    port: (door.address() as AddressInfo).port,
    tls: 'implicit',
    username: user.username,
    password: user.password,
    caPem,
  } as const
  return {
    submission: { account, options: { allowPrivateHosts: true }, savesSentCopy: false },
    disturb: (what) => {
      disturbance = what
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      door.close()
      await once(door, 'close')
      for (const server of Object.values(servers)) await server.close()
    },
  }
}

function join(client: Socket, upstream: Socket, sockets: Set<Socket>): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    sockets.add(from)
    from.on('error', () => undefined)
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    from.pipe(to)
  }
}

/** Hands what it takes on to Postfix, and ends the connection instead of saying so. */
async function deliveringServer(postfix: SubmissionServerAddress, user: TestUser): Promise<ScriptedSmtp> {
  const transport = createTransport({
    host: postfix.host,
    port: postfix.submissionsPort,
    secure: true,
    tls: { ca: await readFile(postfix.caFile) },
    auth: { user: user.username, pass: user.password },
  })
  const server: ScriptedSmtp = await startScriptedSmtp({
    tls: 'implicit',
    on: {
      MESSAGE: async (_, { drop }) => {
        const octets = server.transmissions.at(-1)?.octets.toString('latin1') ?? ''
        const raw = Buffer.from(octets.replace(/^\./gm, ''), 'latin1')
        const to = server.commands.flatMap((line) => /^RCPT TO:<(.*)>$/.exec(line)?.[1] ?? [])
        await transport.sendMail({ envelope: { from: user.email, to }, raw })
        drop()
      },
    },
  })
  return server
}
