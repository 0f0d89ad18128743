import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { attachEmbedded } from '@postern/store'
import { install, isRecord, launch, list, parseLine, stop, type Installation } from './support/postern.ts'

describe('while no service runs', () => {
  let postern: Installation
  before(async () => void (postern = await install()))
  after(() => postern.remove())

  it('without a tenant it is said what to do', async () => {
    const { code, message, details } = await postern.error(['inbox', 'list'])
    assert.equal(code, 'missing_argument')
    assert.match(String(message), /postern tenant create/)
    assert.deepEqual(details, { reason: 'no_tenant' })
  })

  it('the first command makes a key that only its user can read, and says so', async () => {
    const other = await install()
    try {
      const { stderr } = await other.run(['tenant', 'list'])
      assert.match(stderr, /Made a secret key/)
      assert.equal((await stat(join(other.dataDir, 'secret-keys'))).mode & 0o777, 0o600)
    } finally {
      await other.remove()
    }
  })

  it('tenant, inbox and key are made with the names the answers promise', async () => {
    const tenant = await postern.json(['tenant', 'create', 'Ada'])
    assert.match(String(tenant['tenant_id']), /^[0-9a-f-]{36}$/)
    const inbox = await postern.json(['inbox', 'connect', 'sandbox'])
    assert.match(String(inbox['inbox_id']), /^[0-9a-f-]{36}$/)
    assert.equal(inbox['tenant_id'], tenant['tenant_id'])
    const key = await postern.json([
      'key',
      'create',
      '--scopes',
      'read:email,search:email',
      '--expires',
      '30d',
    ])
    assert.match(String(key['key_id']), /^key_/)
    assert.match(String(key['key']), /^pst_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/)
    assert.deepEqual(key['scopes'], ['read:email', 'search:email'])
    assert.equal(key['inbox_ids'], null)
    const { keys } = await postern.json(['key', 'list'])
    assert.equal(list(keys).length, 1)
    assert.equal(list(keys)[0]?.['key'], undefined)
  })

  it('time zone and language of an inbox are set by address or id, and nonsense is refused', async () => {
    const set = ['inbox', 'set', 'ROBIN@sandbox.example']
    const changed = await postern.json([...set, '--timezone', 'europe/berlin', '--language', 'DE'])
    assert.equal(changed['timezone'], 'Europe/Berlin')
    assert.equal(changed['language'], 'de')
    assert.equal((await postern.error([...set, '--timezone', 'Mars/Olympus']))['code'], 'invalid_arguments')
    const { inboxes } = await postern.json(['inbox', 'list'])
    assert.equal(list(inboxes)[0]?.['timezone'], 'Europe/Berlin')
  })

  it('doctor says that all is well, and that nothing is started', async () => {
    const { ok, checks } = await postern.json(['doctor'])
    assert.equal(ok, true)
    const states = new Map(list(checks).map(({ check, state }) => [check, state]))
    assert.equal(states.get('database'), 'ok')
    assert.equal(states.get('service'), 'note')
    assert.equal(states.get('inbox robin@sandbox.example'), 'ok')
  })

  it('the database is up to date after any command', async () => {
    assert.deepEqual(await postern.json(['migrate']), { applied: [] })
  })

  it('several commands at once get by with one another', async () => {
    const commands = [['tenant', 'list'], ['key', 'list'], ['inbox', 'list'], ['migrate']]
    assert.equal((await Promise.all(commands.map((args) => postern.json(args)))).length, commands.length)
  })

  it('a command that is stopped half-way leaves no database running', async () => {
    const child = launch(['doctor'], { POSTERN_DATA_DIR: postern.dataDir, POSTERN_PORT: '0' })
    while ((await attachEmbedded(postern.dataDir)) === null) await delay(20)
    assert.equal(await stop(child), 143)
    assert.equal(await attachEmbedded(postern.dataDir), null)
  })
})

describe('while the service runs', () => {
  let postern: Installation
  let url: string
  let key: string
  before(async () => {
    postern = await install()
    const service = await postern.start()
    url = service.url
    await postern.json(['tenant', 'create', 'Ada'])
    await postern.json(['inbox', 'connect', 'sandbox'])
    key = String((await postern.json(['key', 'create']))['key'])
  })
  after(() => postern.remove())

  const call = (tool: string, args: object): string[] => ['call', tool, JSON.stringify(args), '--url', url]

  it('call answers with the result of the tool', async () => {
    const { inboxes } = await postern.json([...call('inbox_list', {}), '--key', key])
    assert.equal(list(inboxes)[0]?.['email_address'], 'robin@sandbox.example')
    const { count } = await postern.json(call('email_read', { action: 'count', from: 'helen@' }), {
      environment: { POSTERN_KEY: key },
    })
    assert.equal(typeof count, 'number')
  })

  it('a tool that refuses ends in a failure that carries its error', async () => {
    const args = [...call('email_read', { action: 'read', message_id: 'm_none' }), '--key', key, '--json']
    const { code, stdout } = await postern.run(args)
    assert.equal(code, 1)
    assert.equal(parseLine(stdout)['error_code'], 'message_not_found')
  })

  it('a revoked key is refused with the next call', async () => {
    const made = await postern.json(['key', 'create', '--name', 'short'])
    const own = [...call('inbox_list', {}), '--key', String(made['key'])]
    await postern.json(own)
    await postern.json(['key', 'revoke', String(made['key_id'])])
    assert.equal((await postern.error(own))['code'], 'unauthenticated')
  })

  it('a key for one inbox reaches that one alone', async () => {
    const second = await postern.json(['inbox', 'connect', 'sandbox'])
    assert.equal(second['email_address'], 'robin2@sandbox.example')
    const made = await postern.json(['key', 'create', '--inbox', 'robin2@sandbox.example'])
    const { inboxes } = await postern.json([...call('inbox_list', {}), '--key', String(made['key'])])
    assert.deepEqual(
      list(inboxes).map((inbox) => inbox['inbox_id']),
      [second['inbox_id']],
    )
    await postern.json(['inbox', 'remove', String(second['inbox_id'])])
    assert.equal(list((await postern.json(['inbox', 'list']))['inboxes']).length, 1)
  })

  it('doctor finds the service', async () => {
    const environment = { POSTERN_PORT: new URL(url).port }
    const { checks } = await postern.json(['doctor'], { environment })
    const service = list(checks).find(({ check }) => check === 'service')
    assert.equal(service?.['state'], 'ok')
  })

  it('a second service on the same folder is refused', async () => {
    const { code, stderr } = await postern.run(['start'])
    assert.equal(code, 1)
    assert.match(stderr, /already uses this data folder/)
  })
})

describe('what is typed wrong', () => {
  let postern: Installation
  before(async () => void (postern = await install()))
  after(() => postern.remove())

  for (const args of [['--password', 'hunter2'], ['--password=hunter2']]) {
    it(`${args[0]?.split('=')[0]} is refused with the reason and not repeated`, async () => {
      const { code, stdout, stderr } = await postern.run([
        'inbox',
        'connect',
        'imap',
        '--address',
        'a@b.example',
        ...args,
      ])
      assert.equal(code, 1)
      assert.match(stderr, /never taken as an argument.*process list/)
      assert.doesNotMatch(stdout + stderr, /hunter2/)
      assert.equal(
        (await postern.error(['inbox', 'connect', 'imap', ...args]))['code'],
        'argument_not_allowed',
      )
    })
  }

  it('an unknown command and a missing option are told apart from failures', async () => {
    const unknown = await postern.run(['inbx', 'list'])
    assert.equal(unknown.code, 2)
    assert.match(unknown.stderr, /inbox/)
    const { code, stdout } = await postern.run(['inbox', 'connect', 'imap', '--json'])
    assert.equal(code, 2)
    const { error } = parseLine(stdout)
    assert.ok(isRecord(error) && /--address/.test(String(error['message'])))
  })

  it('every wrong setting is named at once, and no value', async () => {
    const environment = { POSTERN_PORT: 'x', POSTERN_LOG_LEVEL: 'loud', POSTERN_PROT: '1' }
    const { code, problems } = await postern.error(['start'], { environment })
    assert.equal(code, 'invalid_configuration')
    assert.ok(Array.isArray(problems) && problems.length === 3)
    assert.doesNotMatch(problems.join(' '), /loud/)
  })

  it('scopes, expiry and JSON are checked before anything is opened', async () => {
    for (const args of [
      ['key', 'create', '--scopes', 'read:everything'],
      ['key', 'create', '--expires', 'yesterday'],
      ['call', 'inbox_list', 'limit=5', '--key', 'k'],
    ]) {
      assert.equal((await postern.error(args))['code'], 'invalid_arguments')
    }
    await assert.rejects(stat(postern.dataDir), { code: 'ENOENT' })
  })

  it('a group without its command says that one is missing', async () => {
    for (const group of ['tenant', 'inbox', 'key']) {
      const { code, message } = await postern.error([group])
      assert.deepEqual([code, message], ['invalid_arguments', 'A command is missing; --help lists them.'])
    }
  })

  it('scopes may be given one by one, and a tenant of the same name is refused', async () => {
    await postern.json(['tenant', 'create', 'Twin'])
    const { code, message } = await postern.error(['tenant', 'create', ' twin '])
    assert.equal(code, 'invalid_arguments')
    assert.match(String(message), /of that name already/)
    const key = ['key', 'create', '--tenant', 'Twin', '--scopes', 'read:email', '--scopes', 'search:email']
    const { scopes } = await postern.json(key)
    assert.deepEqual(scopes, ['read:email', 'search:email'])
  })

  it('a service that does not answer is named', async () => {
    const args = ['call', 'inbox_list', '{}', '--key', 'k', '--url', 'http://127.0.0.1:9/mcp']
    const { message, details } = await postern.error(args)
    assert.match(String(message), /No service answers at http:\/\/127\.0\.0\.1:9/)
    assert.deepEqual(details, { reason: 'service_unreachable' })
  })
})

describe('two services on one machine', () => {
  const installations: Installation[] = []
  after(() => Promise.all(installations.map((one) => one.remove())))

  it('live side by side with folders and ports of their own, and end in order', async () => {
    installations.push(await install(), await install())
    const services = await Promise.all(installations.map((one) => one.start()))
    for (const [index, postern] of installations.entries()) {
      await postern.json(['tenant', 'create', `Tenant ${index}`])
      const { tenants } = await postern.json(['tenant', 'list'])
      assert.deepEqual(
        list(tenants).map(({ name }) => name),
        [`Tenant ${index}`],
      )
    }
    assert.deepEqual(await Promise.all(services.map((service) => service.stop())), [0, 0])
  })
})
