import type { WriteStage } from '@postern/core'
import {
  scriptedAuthority,
  startScriptedSmtp,
  type ScriptedSmtp,
  type ScriptedSmtpAnswer,
  type SmtpScript,
} from '@postern/fixtures'
import type { ComposedMessage, SendReceipt, WriteCall } from '@postern/mail'
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { compose } from '../contract/compose.ts'
import { callFor, faultOf, writeCallFor } from '../contract/mailbox.ts'
import { createImapAdapter, createImapPool, FolderCache } from './index.ts'
import { smtpTls } from './smtp-account.ts'
import type { SmtpTimeouts } from './smtp-dial.ts'

const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

interface Sent {
  readonly receipt: SendReceipt
  readonly server: ScriptedSmtp
  readonly stages: readonly WriteStage[]
}

interface Sending {
  readonly message?: ComposedMessage
  readonly call?: WriteCall
  readonly timeouts?: Partial<SmtpTimeouts>
  readonly tls?: 'implicit' | 'starttls' | 'none'
}

const recipients = ['amy@contract.example', 'bob@contract.example', 'cat@contract.example']

async function begin(script: SmtpScript, { tls, timeouts = {} }: Sending) {
  const server = await startScriptedSmtp(script)
  const pool = createImapPool({ allowPrivateHosts: true })
  const folders = new FolderCache()
  opened.push(server, pool, folders)
  const login = { host: 'localhost', username: 'owner@contract.example', password: 'pass\u00e9' }
  const adapter = createImapAdapter({
    account: { inboxId: 'inbox-1', credentialVersion: 1, credential: { ...login, port: 1, tls: 'none' } },
    pool,
    folders,
    ownerAddresses: [],
    folderRoles: {},
    submission: {
      account: { ...login, port: server.port, tls: tls ?? script.tls ?? 'none' },
      options: { allowPrivateHosts: true, extraCa: scriptedAuthority, timeouts },
      // The sender's copy needs a mailbox, and is for the contract.
      savesSentCopy: true,
    },
  })
  return { server, adapter }
}

async function send(script: SmtpScript, sending: Sending = {}): Promise<Sent> {
  const { server, adapter } = await begin(script, sending)
  const stages: WriteStage[] = []
  const call = sending.call ?? writeCallFor()
  const enter = async (stage: WriteStage): Promise<void> => {
    stages.push(stage)
    await call.enter(stage)
  }
  const message = sending.message ?? compose({ key: 'letter', to: recipients })
  return { receipt: await adapter.sendMessage(message, { ...call, enter }), server, stages }
}

const say =
  (line: string): ScriptedSmtpAnswer =>
  (_, connection) =>
    connection.say(line)
const drop: ScriptedSmtpAnswer = (_, connection) => connection.drop()
const spoken = ({ commands }: ScriptedSmtp): readonly string[] =>
  commands.filter((line) => /^(?:MAIL|RCPT|DATA)/.test(line))

describe('submission', () => {
  for (const tls of ['implicit', 'starttls', undefined] as const) {
    test(`check 128: the envelope on the wire is the one asked for, over ${tls ?? 'plain TCP'}`, async () => {
      const { receipt, server, stages } = await send(tls === undefined ? {} : { tls })
      assert.ok(receipt.outcome === 'sent')
      assert.deepEqual(
        spoken(server).map((line) => line.replace(/ SIZE=\d+$/, '')),
        ['MAIL FROM:<owner@contract.example>', ...recipients.map((email) => `RCPT TO:<${email}>`), 'DATA'],
      )
      assert.deepEqual(server.secrets, ['\0owner@contract.example\0pass\u00e9'])
      assert.deepEqual(stages, ['connect', 'envelope', 'data'])
      assert.deepEqual(receipt.sentCopy.status, 'provider_saved')
      assert.equal(server.transmissions.length, 1)
      assert.equal(
        server.commands.filter((line) => line.startsWith('EHLO')).length,
        tls === 'starttls' ? 2 : 1,
      )
    })
  }

  test('check 129: Bcc is not on the wire, and who is blind is in the envelope', async () => {
    const message = compose({ key: 'blind', to: recipients, blind: recipients.slice(1) })
    assert.match(Buffer.from(message.octets).toString(), /^Bcc:/m)
    const { server } = await send({}, { message })
    assert.doesNotMatch(server.transmissions[0]?.octets.toString() ?? '', /bcc|bob@|cat@/i)
    assert.equal(server.commands.filter((line) => line.startsWith('RCPT')).length, 3)
  })

  test('checks 126 and 127: an address that could end its bracket or its line never reaches the server', async () => {
    for (const bad of [
      'a@b.example>\r\nRCPT TO:<c@d.example',
      'a@b.example> NOTIFY=NEVER',
      'a\0@b.example',
      '',
    ]) {
      for (const envelope of [
        { from: bad, to: recipients },
        { from: 'owner@contract.example', to: [bad] },
        { from: 'owner@contract.example', to: [] },
      ]) {
        const { server, adapter } = await begin({}, {})
        const message = { ...compose({ key: 'bad' }), envelope }
        await assert.rejects(adapter.sendMessage(message, writeCallFor()), faultOf('recipient_invalid'))
        assert.equal(server.connections(), 0)
      }
    }
    const quoted = '"x@gmail.example x"@internal.example'
    const message = { ...compose({ key: 'quoted' }), envelope: { from: 'o@c.example', to: [quoted] } }
    const { server } = await send({}, { message })
    assert.ok(server.commands.includes(`RCPT TO:<${quoted}>`))
  })

  test('check 142: the port says how TLS begins, whatever was configured', () => {
    assert.equal(smtpTls(587, 'implicit'), 'starttls')
    assert.equal(smtpTls(465, 'starttls'), 'implicit')
    assert.equal(smtpTls(2525, undefined), 'starttls')
    assert.equal(smtpTls(2525, 'implicit'), 'implicit')
    assert.equal(smtpTls(587, 'none'), 'none')
  })

  test('LOGIN does where PLAIN is not offered', async () => {
    const { receipt, server } = await send({ extensions: ['AUTH=LOGIN'] })
    assert.equal(receipt.outcome, 'sent')
    assert.deepEqual(server.secrets, ['owner@contract.example', 'pass\u00e9'])
  })
})

describe('a refusal', () => {
  for (const code of ['451 4.7.1', '550 5.7.1']) {
    const isPassing = code.startsWith('4')
    for (const [name, refused] of [
      ['MAIL', 'the sender'],
      ['RCPT', 'every recipient'],
      ['DATA', 'the message'],
      ['MESSAGE', 'the message'],
    ] as const) {
      test(`${code} at ${name} is told with its code, and nothing was sent`, async () => {
        const { receipt, server } = await send({
          on: { [name]: say(`${code} amy@contract.example is secret`) },
        })
        assert.ok(receipt.outcome === 'refused')
        const { fault } = receipt
        assert.equal(fault.code, 'send_refused')
        const [smtpCode, enhancedCode] = [Number(code.slice(0, 3)), code.slice(4)]
        assert.deepEqual(
          [fault.details['refused'], fault.details['smtp_code'], fault.details['enhanced_code']],
          [refused, smtpCode, enhancedCode],
        )
        assert.equal(fault.details['repeat'], isPassing)
        assert.doesNotMatch(`${fault.public} ${fault.internal ?? ''}`, /amy|secret/)
        assert.deepEqual(
          receipt.recipients,
          recipients.map((email) => ({ email, status: 'rejected', smtpCode, enhancedCode })),
        )
        assert.equal(server.transmissions.length, name === 'MESSAGE' ? 1 : 0)
      })
    }

    for (const name of ['greeting', 'EHLO', 'AUTH'] as const) {
      test(`${code} at ${name} means that the message was not spoken of`, async () => {
        const line = `${code} no`
        const { receipt, server } = await send(
          name === 'greeting' ? { greeting: line } : { on: { [name]: say(line) } },
        )
        assert.ok(receipt.outcome === 'failed')
        assert.deepEqual(receipt.recipients, [])
        const codes = { greeting: 'provider_unavailable', EHLO: 'provider_error' } as const
        const login = isPassing ? 'provider_unavailable' : 'inbox_reconnect_required'
        assert.equal(receipt.fault.code, name === 'AUTH' ? login : codes[name])
        assert.deepEqual(spoken(server), [])
        // A refused login is never repeated, or the account would be locked.
        if (name === 'AUTH') assert.equal(server.connections(), 1)
      })
    }
  }

  test('of greylisting is told apart: later it may be taken', async () => {
    const { receipt } = await send({ on: { RCPT: say('450 4.2.0 greylisted') } })
    assert.ok(receipt.outcome === 'refused')
    assert.equal(receipt.fault.details['repeat'], true)
    assert.equal(receipt.fault.retryAfterSeconds, 300)
  })

  test('check 140: of one of three recipients leaves the message to the others, with three statuses', async () => {
    const { receipt, server } = await send({
      on: {
        RCPT: ({ nth }, connection) => (nth === 2 ? connection.say('550 5.1.1 nobody') : connection.behave()),
      },
    })
    assert.ok(receipt.outcome === 'sent')
    assert.deepEqual(
      receipt.recipients.map(({ status, smtpCode, enhancedCode }) => [status, smtpCode, enhancedCode]),
      [
        ['accepted', 250, '2.1.5'],
        ['rejected', 550, '5.1.1'],
        ['accepted', 250, '2.1.5'],
      ],
    )
    assert.equal(server.transmissions.length, 1)
  })
})

describe('the envelope', () => {
  const silent: ScriptedSmtpAnswer = () => undefined

  test('leaves in one go where the server takes commands so, and each answer is told of whom it is', async () => {
    const { receipt, server } = await send({
      on: {
        MAIL: silent,
        RCPT: silent,
        DATA: async (_, connection) => {
          await connection.send('250 ok\r\n250 2.1.5 ok\r\n550 5.1.1 nobody\r\n250 2.1.5 ok\r\n')
          await connection.behave()
        },
      },
    })
    assert.ok(receipt.outcome === 'sent')
    assert.deepEqual(
      receipt.recipients.map(({ status }) => status),
      ['accepted', 'rejected', 'accepted'],
    )
    assert.deepEqual(
      server.transmissions.map(({ isWhole }) => isWhole),
      [true],
    )
  })

  test('leaves command by command where it does not say so', async () => {
    const { receipt, server } = await send(
      { extensions: ['AUTH PLAIN'], on: { MAIL: silent } },
      { timeouts: { envelopeMs: 150 } },
    )
    assert.equal(receipt.outcome, 'failed')
    assert.deepEqual(
      spoken(server).map((line) => line.slice(0, 4)),
      ['MAIL'],
    )
  })

  test('that nobody is left in ends without an octet, though the server waits for a message', async () => {
    const { receipt, server, stages } = await send({ on: { RCPT: say('550 5.1.1 nobody') } })
    assert.equal(receipt.outcome, 'refused')
    await sleep(50)
    assert.deepEqual([server.transmissions, server.open(), stages.includes('data')], [[], 0, false])
  })
})

describe('a connection that ends', () => {
  for (const name of ['EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA'] as const) {
    test(`at ${name} leaves nothing sent`, async () => {
      const { receipt, server, stages } = await send({ on: { [name]: drop } })
      assert.ok(receipt.outcome === 'failed')
      assert.equal(receipt.fault.code, 'provider_unavailable')
      assert.deepEqual(server.transmissions, [])
      assert.ok(!stages.includes('data'))
      // Only before anything was said of the message it is made again.
      assert.equal(server.connections(), ['EHLO', 'AUTH'].includes(name) ? 3 : 1)
    })
  }

  for (const name of ['OCTETS', 'MESSAGE'] as const) {
    test(`check 139: after DATA (${name}) leaves \`unknown\`, and one transmission on the wire`, async () => {
      const body = 'x'.repeat(70).concat('\n').repeat(20_000)
      const { receipt, server } = await send(
        {
          on: { [name]: drop },
        },
        { message: compose({ key: 'lost', to: recipients, body }) },
      )
      assert.ok(receipt.outcome === 'unknown')
      assert.deepEqual(
        receipt.recipients.map(({ status, smtpCode }) => [status, smtpCode]),
        recipients.map(() => ['unknown', null]),
      )
      assert.match(receipt.fault.public, /may or may not have been sent/)
      assert.deepEqual([server.transmissions.length, server.connections()], [1, 1])
    })
  }

  test('that never speaks, or says a reply octet by octet, is given up in time', async () => {
    const timeouts = { greetingMs: 150, commandMs: 150, envelopeMs: 150 }
    const silent = await send({ greeting: null }, { timeouts })
    assert.ok(silent.receipt.outcome === 'failed')
    const slow = await send(
      {
        on: {
          MAIL: async (_, { send: drip }) => {
            for (const octet of '250-still thinking of it, and in no hurry at all') {
              await drip(octet)
              await sleep(20)
            }
          },
        },
      },
      { timeouts },
    )
    assert.ok(slow.receipt.outcome === 'failed')
    assert.deepEqual(slow.server.transmissions, [])
  })

  test('with the deadline of the call after the message leaves `unknown`', async () => {
    const { receipt } = await send(
      { on: { MESSAGE: () => undefined } },
      { call: writeCallFor(null, callFor(2.3)) },
    )
    assert.ok(receipt.outcome === 'unknown')
    assert.equal(receipt.fault.code, 'timeout')
  })
})

describe('a server that cannot be trusted', () => {
  test('gets no password where STARTTLS is stripped or refused, and no message', async () => {
    const scripts: readonly SmtpScript[] = [
      {},
      { tls: 'starttls', on: { STARTTLS: say('454 4.7.0 not now') } },
      { tls: 'starttls', certificate: 'otherName' },
      { tls: 'starttls', certificate: 'selfSigned' },
    ]
    for (const script of scripts) {
      const { receipt, server } = await send(script, { tls: 'starttls' })
      assert.ok(receipt.outcome === 'failed')
      assert.deepEqual([server.secrets, spoken(server)], [[], []])
    }
  })

  test('that slips words in before the handshake is left', async () => {
    const { receipt, server } = await send({
      tls: 'starttls',
      on: { STARTTLS: (_, { send: inject }) => inject('220 go ahead\r\n250-injected\r\n250 AUTH PLAIN\r\n') },
    })
    assert.ok(receipt.outcome === 'failed')
    assert.equal(receipt.fault.code, 'provider_error')
    assert.deepEqual([server.secrets, spoken(server)], [[], []])
  })

  test('that answers before it is asked, without an end, or in no reply is left before the message', async () => {
    for (const reply of [
      '250 ok\r\n250 2.1.5 and the next one too',
      `250 ${'x'.repeat(5_000)}`,
      '250-again\r\n'.repeat(200),
      'yes',
      '250-one\r\n251 two',
      '354 go ahead',
    ]) {
      const { receipt, server } = await send({ on: { MAIL: say(reply) } })
      assert.ok(receipt.outcome === 'failed', reply.slice(0, 40))
      assert.equal(receipt.fault.code, 'provider_error')
      assert.deepEqual(server.transmissions, [])
    }
  })

  test('that says yes before it has seen the message is not believed', async () => {
    const early = await send({ on: { DATA: say('250 2.0.0 queued already') } })
    assert.ok(early.receipt.outcome === 'failed')
    assert.deepEqual(early.server.transmissions, [])
    const body = 'x'.repeat(70).concat('\n').repeat(100_000)
    const midway = await send(
      { on: { OCTETS: say('250 2.0.0 queued') } },
      { message: compose({ key: 'early', body }) },
    )
    assert.equal(midway.receipt.outcome, 'unknown')
    assert.equal(midway.server.transmissions[0]?.isWhole, false)
  })
})

describe('the stages of sending', () => {
  test('data is entered behind 354 and before the first octet', async () => {
    let seen: readonly unknown[] = []
    const { server, adapter } = await begin({}, {})
    const enter = async (stage: WriteStage): Promise<void> => {
      if (stage !== 'data') return
      await sleep(100)
      seen = [server.commands.at(-1), server.transmissions.length]
    }
    await adapter.sendMessage(compose({ key: 'stage' }), { ...writeCallFor(), enter })
    assert.deepEqual(seen, ['DATA', 0])
    assert.equal(server.transmissions.length, 1)
  })

  for (const stage of ['connect', 'envelope', 'data'] as const) {
    test(`a lease that is lost before ${stage} sends nothing`, async () => {
      const { server, adapter } = await begin({}, {})
      await assert.rejects(
        adapter.sendMessage(compose({ key: 'lease' }), writeCallFor(stage)),
        faultOf('operation_in_progress'),
      )
      await sleep(50)
      assert.deepEqual([server.transmissions, server.open()], [[], 0])
      if (stage !== 'data') assert.deepEqual(spoken(server), [])
      if (stage === 'connect') assert.equal(server.connections(), 0)
    })
  }
})

describe('what a message needs of the server', () => {
  const withBody = (body: string, more: Partial<ComposedMessage> = {}): ComposedMessage => ({
    ...compose({ key: 'needs', body }),
    ...more,
  })
  const mailLine = ({ commands }: ScriptedSmtp): string =>
    commands.find((line) => line.startsWith('MAIL')) ?? ''

  test('8BITMIME is announced for octets beyond ASCII, and only then', async () => {
    assert.match(
      mailLine((await send({}, { message: withBody('Gr\u00fc\u00dfe') })).server),
      / BODY=8BITMIME$/,
    )
    assert.doesNotMatch(mailLine((await send({}, { message: withBody('Regards') })).server), /BODY=/)
    const lacking = await send({ extensions: ['AUTH PLAIN'] }, { message: withBody('Gr\u00fc\u00dfe') })
    assert.ok(lacking.receipt.outcome === 'failed')
    assert.equal(lacking.receipt.fault.code, 'capability_unavailable')
    assert.deepEqual(spoken(lacking.server), [])
  })

  test('SMTPUTF8 that is needed and lacking is `recipient_invalid` before MAIL', async () => {
    const envelope = { from: 'owner@contract.example', to: ['j\u00f6rg@contract.example'] }
    for (const message of [withBody('', { envelope }), withBody('', { needsUtf8: true })]) {
      assert.match(mailLine((await send({}, { message })).server), / SMTPUTF8$/)
      const { receipt, server } = await send({ extensions: ['AUTH PLAIN', '8BITMIME'] }, { message })
      assert.ok(receipt.outcome === 'failed')
      assert.equal(receipt.fault.code, 'recipient_invalid')
      assert.deepEqual(spoken(server), [])
    }
  })

  test('its size is told, and one above the limit is not begun', async () => {
    const message = withBody('x'.repeat(900))
    const { server } = await send({}, { message })
    assert.match(mailLine(server), new RegExp(` SIZE=${message.octets.length}$`))
    assert.doesNotMatch(mailLine((await send({ extensions: ['AUTH PLAIN'] }, { message })).server), /SIZE/)
    const large = await send({ extensions: ['SIZE 1000', 'AUTH PLAIN'] }, { message })
    assert.ok(large.receipt.outcome === 'failed')
    assert.equal(large.receipt.fault.code, 'message_too_large')
    assert.deepEqual(spoken(large.server), [])
  })
})
