import { silentLog } from '@postern/core'
import {
  scriptedAuthority,
  startScriptedImap,
  startScriptedSmtp,
  type Script,
  type ScriptedImap,
  type ScriptedSmtp,
  type SmtpScript,
} from '@postern/fixtures'
import type { Call } from '@postern/mail'
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { checkConnection, type ConnectionCheck } from './check-connection.ts'
import type { ImapCredential } from './credential.ts'
import type { DialOptions } from './dial.ts'

const opened: ScriptedImap[] = []
const submissions: ScriptedSmtp[] = []

afterEach(async () => {
  for (const server of [...opened.splice(0), ...submissions.splice(0)]) await server.close()
})

function call(): Call {
  return { signal: new AbortController().signal, deadline: new Date(Date.now() + 5_000), log: silentLog }
}

const selfHosted: DialOptions = { allowPrivateHosts: true, extraCa: scriptedAuthority }

async function check(
  script: Script,
  credential: Partial<ImapCredential> = {},
  options: DialOptions = selfHosted,
): Promise<ConnectionCheck> {
  const server = await startScriptedImap(script)
  opened.push(server)
  const whole = {
    host: 'localhost',
    port: server.port,
    tls: script.tls ?? 'none',
    username: 'u',
    password: 'p',
  } as const
  return checkConnection({ ...whole, ...credential }, options, call())
}

function answeringLogin(line: string): Script {
  return { on: { LOGIN: ({ tag }, { send }) => send(`${tag} ${line}\r\n`) } }
}

describe('a connection test', () => {
  test('that succeeds has read no message and left no connection', async () => {
    for (const tls of ['implicit', 'starttls', undefined] as const) {
      const result = await check(tls === undefined ? {} : { tls })
      assert.deepEqual([result.ok, result.step, result.reason], [true, 'done', null], String(tls))
      const server = opened.at(-1) ?? assert.fail('no server')
      assert.ok(server.commands.every((line) => !/FETCH|SELECT|STORE|SUBSCRIBE/.test(line)))
      assert.equal(server.commands.at(-1), 'LOGOUT')
    }
  })

  test('names what is wrong with a certificate', async () => {
    const cases = [
      ['expired', 'tls_expired'],
      ['selfSigned', 'tls_self_signed'],
      ['otherName', 'tls_name_mismatch'],
    ] as const
    for (const tls of ['implicit', 'starttls'] as const) {
      for (const [certificate, reason] of cases) {
        const result = await check({ tls, certificate })
        assert.deepEqual(
          [result.ok, result.step, result.reason],
          [false, 'tls', reason],
          `${tls} ${certificate}`,
        )
        assert.ok(
          !opened.at(-1)?.commands.some((line) => /LOGIN|AUTHENTICATE/.test(line)),
          'no password was sent',
        )
      }
    }
  })

  test('trusts an authority of its own only where it was named', async () => {
    const stranger: DialOptions = { allowPrivateHosts: true }
    const refused = await check({ tls: 'implicit' }, {}, stranger)
    assert.deepEqual([refused.step, refused.reason], ['tls', 'tls_untrusted'])
    const trusted = await check({ tls: 'implicit' }, { caPem: scriptedAuthority }, stranger)
    assert.equal(trusted.ok, true)
  })

  test('never goes on without TLS: a server without STARTTLS sees no password', async () => {
    const result = await check({}, { tls: 'starttls' })
    assert.deepEqual([result.step, result.reason], ['tls', 'starttls_missing'])
    assert.deepEqual(opened.at(-1)?.commands, ['CAPABILITY'])
    // A greeting that claims a login spares a man in the middle the STARTTLS.
    const preauth = await check({ greeting: '* PREAUTH welcome', tls: 'starttls' })
    assert.deepEqual([preauth.ok, preauth.step], [false, 'tls'])
  })

  test('tells a port without TLS from one that speaks it from the start', async () => {
    assert.equal((await check({}, { tls: 'implicit' })).reason, 'tls_not_spoken')
    const silent = await check(
      { tls: 'implicit' },
      { tls: 'starttls' },
      { ...selfHosted, timeouts: { greetingMs: 100 } },
    )
    assert.deepEqual([silent.ok, silent.reason], [false, 'not_imap'])
  })

  test('says what a refused login means, without a word of the server', async () => {
    const cases = [
      ['NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)', 'login_refused'],
      [
        'NO [ALERT] Application-specific password required: https://example.test (Failure)',
        'app_password_needed',
      ],
      ['NO [WEBALERT https://example.test] Please log in via your web browser', 'web_login_needed'],
      ['NO [ALERT] Your account is not enabled for IMAP use', 'imap_disabled'],
      ['NO AUTHENTICATE failed: BasicAuthBlocked', 'oauth_needed'],
      ['NO [EXPIRED] change it', 'password_expired'],
      ['BAD User is authenticated but not connected.', 'mailbox_not_connected'],
      ['NO [UNAVAILABLE] backend down', 'temporary'],
      ['NO [LIMIT] Too many simultaneous connections', 'too_many_connections'],
    ] as const
    for (const [line, reason] of cases) {
      const result = await check(answeringLogin(line))
      assert.deepEqual([result.step, result.reason], ['login', reason], line)
      assert.ok(!JSON.stringify(result).includes('example.test'))
    }
  })

  test('check 245: an Exchange account without a mailbox is told from a wrong password', async () => {
    const result = await check({
      on: {
        NAMESPACE: ({ tag }, { send }) => send(`${tag} BAD User is authenticated but not connected.\r\n`),
      },
    })
    assert.deepEqual([result.step, result.reason], ['login', 'mailbox_not_connected'])
  })

  test('check 245: where only OAuth is offered, that is the advice', async () => {
    const result = await check({ capabilities: 'NAMESPACE LOGINDISABLED AUTH=XOAUTH2' })
    assert.deepEqual([result.step, result.reason], ['login', 'oauth_needed'])
    assert.ok(!opened.at(-1)?.commands.some((line) => /LOGIN|AUTHENTICATE/.test(line)))
  })

  test('a mailbox without INBOX is found out before it is connected', async () => {
    const result = await check({
      on: { EXAMINE: ({ tag }, { send }) => send(`${tag} NO [NONEXISTENT] none\r\n`) },
    })
    assert.deepEqual([result.step, result.reason], ['list', 'folder_not_found'])
  })

  test('a refused, a dropped and a silent port read alike', async () => {
    const probe = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => probe.once('listening', resolve))
    const address = probe.address()
    const port = typeof address === 'object' && address !== null ? address.port : assert.fail('no port')
    probe.close()
    const refused = await check({}, { port })
    const dropped = await check({ greeting: '* BYE go away' })
    assert.deepEqual([refused.reason, refused.advice], ['unreachable', dropped.advice])
    assert.equal(dropped.reason, 'unreachable')
  })
})

describe('check 243: which hosts are dialled', () => {
  const hosted: DialOptions = {
    allowPrivateHosts: false,
    lookupAll: async () => [{ address: '127.0.0.1', family: 4 }],
  }

  test('a name that leads to a private address is refused with the reason', async () => {
    for (const host of ['mail.example', '127.0.0.1', '169.254.169.254', '[::1]', '10.1.2.3']) {
      const result = await check({}, { host, port: 993, tls: 'implicit' }, hosted)
      assert.deepEqual([result.ok, result.step, result.reason], [false, 'resolve', 'private_address'], host)
    }
    assert.ok(opened.every((server) => server.peak() === 0))
  })

  test('other ports than those of mail are refused', async () => {
    const result = await check({}, { port: 6379, tls: 'implicit' }, hosted)
    assert.deepEqual([result.step, result.reason], ['resolve', 'port_not_allowed'])
  })

  test('a password is not sent in clear to a public host, nor where private hosts are not allowed', async () => {
    const result = await check({}, { port: 143, tls: 'none', host: '192.0.43.8' }, selfHosted)
    assert.deepEqual([result.step, result.reason], ['resolve', 'cleartext_refused'])
  })

  test('each connection looks the name up anew and dials what it checked', async () => {
    let lookups = 0
    const options: DialOptions = {
      ...selfHosted,
      lookupAll: async () => {
        lookups += 1
        return [{ address: '127.0.0.1', family: 4 }]
      },
    }
    assert.equal((await check({ tls: 'implicit' }, { host: 'localhost' }, options)).ok, true)
    assert.equal(lookups, 1)
    // The name is what the certificate is checked against, wherever it led.
    const other = await check({ tls: 'implicit' }, { host: 'mail.elsewhere.example' }, options)
    assert.equal(other.reason, 'tls_name_mismatch')
  })
})

describe('check 244: after the login', () => {
  test('a server that offers ID is told who asks, and then opens the mailbox', async () => {
    let isIntroduced = false
    const result = await check({
      capabilities: 'NAMESPACE ID',
      on: {
        ID: async (command, { ok, send }) => {
          isIntroduced = opened.at(-1)?.commands.includes('LOGIN') === true
          await send('* ID NIL\r\n')
          await ok(command)
        },
        EXAMINE: async (command, { ok, send }) => {
          if (!isIntroduced) return send(`${command.tag} NO EXAMINE Unsafe Login. Please contact us\r\n`)
          await send('* 0 EXISTS\r\n')
          await ok(command)
        },
      },
    })
    assert.equal(result.ok, true)
  })
})

describe('a test of the submission server', () => {
  const submission = async (
    script: SmtpScript,
  ): Promise<{ check: ConnectionCheck; commands: readonly string[] }> => {
    const server = await startScriptedSmtp(script)
    submissions.push(server)
    const smtp = { host: 'localhost', port: server.port, tls: script.tls ?? 'none' } as const
    return { check: await check({}, { smtp }), commands: server.commands }
  }

  test('logs in, and speaks of no message', async () => {
    for (const tls of ['implicit', 'starttls', undefined] as const) {
      const { check: result, commands } = await submission(tls === undefined ? {} : { tls })
      assert.deepEqual([result.ok, result.step], [true, 'done'], String(tls))
      assert.ok(commands.includes('AUTH'))
      assert.ok(commands.every((line) => !/^(?:MAIL|RCPT|DATA)/.test(line)))
    }
  })

  test('tells what is wrong there, and that reading works', async () => {
    const cases: readonly (readonly [SmtpScript, string])[] = [
      [{ on: { AUTH: (_, { say }) => say('535 5.7.8 no') } }, 'login_refused'],
      [{ tls: 'starttls', certificate: 'expired' }, 'tls_expired'],
      [{ tls: 'starttls', on: { STARTTLS: (_, { say }) => say('454 not now') } }, 'starttls_refused'],
      [{ greeting: '554 go away' }, 'turned_away'],
      [{ greeting: 'HTTP/1.1 400 Bad Request' }, 'not_smtp'],
      [{ extensions: ['AUTH XOAUTH2'] }, 'oauth_needed'],
    ]
    for (const [script, reason] of cases) {
      const { check: result } = await submission(script)
      assert.deepEqual([result.ok, result.step, result.reason], [false, 'submission', reason])
      assert.match(result.advice, /can be read, but .* Nothing was changed\.$/)
    }
  })
})
