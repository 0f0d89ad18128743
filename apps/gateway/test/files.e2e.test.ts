import { keyRateLimits } from '@postern/access'
import { Fault } from '@postern/core'
import { buildMessage, makeTenant, startTestDatabase, type TestDatabase } from '@postern/fixtures'
import { createMemoryAdapter, createMemoryMailbox } from '@postern/providers'
import { setTenantStatus, withOwner, withTenant } from '@postern/store'
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { purgeExpired } from '../src/files/purge-expired.ts'
import { fakeTools, success } from './support/fake-tools.ts'
import { createFilesBench, type FilesBench, type IssuedKey } from './support/files-bench.ts'
import { listen, testKey } from './support/listener.ts'
import { post, toolCall, type RawHeaders } from './support/rpc.ts'

let database: TestDatabase
before(async () => {
  database = await startTestDatabase()
})
after(() => database.close())

async function bench(options: Parameters<typeof createFilesBench>[1] = {}): Promise<FilesBench> {
  const made = await createFilesBench(database, options)
  after(() => made.close())
  return made
}

const sha256 = (octets: Uint8Array): string => createHash('sha256').update(octets).digest('hex')

/** A message with one file. */
function withFile(content: Uint8Array, head: readonly string[] = []): Uint8Array {
  const lines = [
    '--b',
    ...(head.length > 0 ? head : ['Content-Type: application/octet-stream']),
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n'),
    '--b--',
  ]
  const body = ['--b', 'Content-Type: text/plain', '', 'Text.', ...lines].join('\r\n')
  return buildMessage({ contentType: 'multipart/mixed; boundary=b', body })
}

/** The path of a fresh link to the second part of a fresh message. */
async function linkTo(
  on: FilesBench,
  key: IssuedKey,
  raw: Uint8Array,
  partId: string | null = '2',
): Promise<string> {
  const messageId = await on.deliver(raw)
  const { url } = await on.links.make(key.principal, { inboxId: on.inbox.inboxId, messageId, partId })
  assert.ok(url.startsWith('https://mail.example.com/files/'))
  return new URL(url).pathname
}

async function gone(on: FilesBench, path: string): Promise<string> {
  const answers = await Promise.all(on.gateways.map(({ origin }) => fetch(origin + path)))
  const texts = await Promise.all(
    answers.map(async (answer) => {
      const { date: _, 'x-request-id': __, ...headers } = Object.fromEntries(answer.headers)
      return JSON.stringify([answer.status, headers, await answer.text()])
    }),
  )
  assert.equal(new Set(texts).size, 1)
  return texts[0] ?? ''
}

describe('a download link', () => {
  const octets = Buffer.from(Array.from({ length: 256 }, (_, octet) => octet))

  test('checks 96 and 99: names the public host and brings the file as it was sent, without a credential', async () => {
    const on = await bench()
    const path = await linkTo(on, await on.key(), withFile(octets))
    const answer = await fetch(on.gateways[0].origin + path)
    assert.equal(answer.status, 200)
    assert.equal(sha256(new Uint8Array(await answer.arrayBuffer())), sha256(octets))
  })

  test('brings the stored message where it was made for that', async () => {
    const on = await bench()
    const raw = withFile(octets)
    const answer = await fetch(on.gateways[0].origin + (await linkTo(on, await on.key(), raw, null)))
    assert.equal(answer.headers.get('content-type'), 'message/rfc822')
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="message.eml"')
    assert.equal(sha256(new Uint8Array(await answer.arrayBuffer())), sha256(raw))
  })

  test('check 99: is good three times, counted by all gateways together', async () => {
    const on = await bench()
    const path = await linkTo(on, await on.key(), withFile(octets))
    const tries = Array.from({ length: 8 }, (_, n) => fetch((on.gateways[n % 2]?.origin ?? '') + path))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 200, 200, 404, 404, 404, 404, 404],
    )
  })

  test('check 99: ends after ten minutes, and with the key, its tenant and its mailbox; all in one answer', async () => {
    const on = await bench()
    const other = await makeTenant(database.db)
    const raw = withFile(octets)
    const revoked = await on.key()
    const paths = [await linkTo(on, revoked, raw)]
    await on.revoke(revoked)
    const narrow = await on.key(['read:email'])
    paths.push(await linkTo(on, narrow, raw))
    paths.push(await linkTo(on, await on.key(undefined, { inboxIds: [] }), raw))
    const foreign = await on.key(undefined, { tenantId: other })
    const messageId = await on.deliver(raw)
    await assert.rejects(
      on.links.make(foreign.principal, { inboxId: on.inbox.inboxId, messageId, partId: '2' }),
      'a link into the mailbox of another tenant',
    )
    const good = await linkTo(on, await on.key(), raw)
    const forged = good.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
    const elsewhere = good.slice(0, 12) + (good[12] === 'A' ? 'B' : 'A') + good.slice(13)
    paths.push(forged, elsewhere, '/files/x', `/files/${'A'.repeat(66)}`, `/files/${'A'.repeat(99)}`)
    const answers = new Set(await Promise.all(paths.map((path) => gone(on, path))))
    assert.equal((await fetch(on.gateways[0].origin + good)).status, 200)
    await withTenant(database.db, on.tenantId, (trx) => setTenantStatus(trx, 'suspended'))
    answers.add(await gone(on, good))
    await withTenant(database.db, on.tenantId, (trx) => setTenantStatus(trx, 'active'))
    on.now = new Date(on.now.getTime() + 600_000)
    answers.add(await gone(on, good))
    answers.add(await gone(on, '/nothing/here'))
    assert.equal(answers.size, 1, [...answers].join('\n'))
  })

  test('a file that is gone from its mailbox is not there either', async () => {
    const on = await bench()
    const key = await on.key()
    const path = await linkTo(on, key, withFile(octets), '9')
    assert.equal(await gone(on, path), await gone(on, '/files/x'))
  })

  test('nothing in it can run in a browser, whatever its type and name', async () => {
    const on = await bench()
    const name = '=?utf-8?Q?..=2F..=2Fevil=22=0D=0ASet-Cookie:_a=E2=80=AEgpj.html?='
    const path = await linkTo(
      on,
      await on.key(),
      withFile(Buffer.from('<script>alert(1)</script>'), [
        'Content-Type: text/html; charset=utf-8',
        `Content-Disposition: inline; filename="${name}"`,
      ]),
    )
    const { headers } = await fetch(on.gateways[0].origin + path)
    assert.equal(headers.get('content-type'), 'text/html')
    assert.match(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('set-cookie'), null)
    const disposition = headers.get('content-disposition') ?? ''
    assert.match(disposition, /^attachment; filename="[A-Za-z0-9_.: -]+"/)
    assert.doesNotMatch(disposition, /[\r\n/\\]|%2F|%E2%80%AE/i)
  })

  test('a name beyond ASCII stands there twice', async () => {
    const on = await bench()
    const path = await linkTo(
      on,
      await on.key(),
      withFile(octets, [
        'Content-Type: application/pdf',
        "Content-Disposition: attachment; filename*=UTF-8''B%C3%BCrger%20(1)%27s.pdf",
      ]),
    )
    const { headers } = await fetch(on.gateways[0].origin + path)
    assert.equal(
      headers.get('content-disposition'),
      `attachment; filename="B_rger (1)'s.pdf"; filename*=UTF-8''B%C3%BCrger%20%281%29%27s.pdf`,
    )
  })

  test('a large file goes through as it comes: the next piece is asked for when the reader has taken the last', async () => {
    const on = await bench()
    const mail = createMemoryAdapter(createMemoryMailbox())
    let given = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; given < 400; given += 1) yield Buffer.alloc(512 * 1024)
    }
    const path = await linkTo(on, await on.key(), withFile(octets), null)
    on.mail = { ...mail, openPart: async () => ({ sizeBytes: null, octets: endless() }) }
    const answer = await fetch(on.gateways[0].origin + path)
    const reader = answer.body?.getReader()
    await reader?.read()
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.ok(given < 60, `${given} pieces were taken from the provider`)
    await reader?.cancel()
  })

  test('a provider that fails before the first octet is told; one that fails later ends the connection', async () => {
    const on = await bench()
    const mail = createMemoryAdapter(createMemoryMailbox())
    const failure = new Fault('provider_unavailable', {
      public: 'The mail server is away.',
      internal: 'NO x',
    })
    const path = await linkTo(on, await on.key(), withFile(octets), null)
    on.mail = { ...mail, openPart: () => Promise.reject(failure) }
    const answer = await fetch(on.gateways[0].origin + path)
    assert.equal(answer.status, 503)
    assert.deepEqual(await answer.json(), {
      error_code: 'provider_unavailable',
      message: 'The mail server is away.',
    })
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(100_000)
      throw failure
    }
    on.mail = { ...mail, openPart: async () => ({ sizeBytes: null, octets: broken() }) }
    const cut = await fetch(on.gateways[0].origin + path)
    await assert.rejects(cut.arrayBuffer())
  })

  test('takes a place and a call of its key, like every door; HEAD and POST do not open it', async () => {
    const on = await bench({ deps: { rateLimits: { ...keyRateLimits, minute: 2, tenantMinute: null } } })
    const path = await linkTo(on, await on.key(), withFile(octets))
    const [{ origin }] = on.gateways
    for (const method of ['HEAD', 'POST']) assert.equal((await fetch(origin + path, { method })).status, 404)
    assert.deepEqual([(await fetch(origin + path)).status, (await fetch(origin + path)).status], [200, 200])
    const refused = await fetch(origin + path)
    assert.equal(refused.status, 429)
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    const full = await bench({ inFlight: { total: 1, perTenant: 0 } })
    const busy = await linkTo(full, await full.key(), withFile(octets))
    assert.equal((await fetch(full.gateways[0].origin + busy)).status, 429)
  })

  test('no line of the log holds a link', async () => {
    const on = await bench()
    const path = await linkTo(on, await on.key(), withFile(octets))
    await fetch(on.gateways[0].origin + path)
    assert.doesNotMatch(JSON.stringify(on.gateways[0].lines), new RegExp(path.slice(7)))
    assert.match(JSON.stringify(on.gateways[0].lines), /"http_route":"\/files"/)
  })
})

interface Uploaded {
  readonly upload_id: string
  readonly error_code?: string
}

async function upload(
  on: FilesBench,
  { token }: { readonly token: string },
  body: Uint8Array<ArrayBuffer>,
  { type = 'application/pdf', query = '?filename=a.pdf' }: { type?: string; query?: string } = {},
): Promise<{ readonly status: number; readonly body: Uploaded & Record<string, unknown> }> {
  const answer = await fetch(`${on.gateways[0].origin}/api/v1/uploads${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body,
  })
  return { status: answer.status, body: (await answer.json()) as Uploaded & Record<string, unknown> }
}

/** Ids of what is kept for the tenant, whole or not. */
async function filesOf({ tenantId }: FilesBench): Promise<readonly string[]> {
  const { rows } = await withOwner(database.superuserUrl, (client) =>
    client.query<{ file_id: string }>('select file_id from sealed_files where tenant_id = $1', [tenantId]),
  )
  return rows.map(({ file_id: id }) => id)
}

describe('an upload', () => {
  test('check 138: comes back byte for byte, and says what it is', async () => {
    const on = await bench()
    const key = await on.key(['manage:drafts'])
    const octets = randomBytes(3 * 1024 * 1024 + 17)
    const { status, body } = await upload(on, key, octets, {
      query: `?filename=${encodeURIComponent('B\u00fcrger & Co.pdf')}`,
    })
    assert.equal(status, 201)
    assert.match(body.upload_id, /^up_[0-9A-Za-z]{20}$/)
    assert.deepEqual(body, {
      upload_id: body.upload_id,
      filename: 'B\u00fcrger & Co.pdf',
      mime_type: 'application/pdf',
      size_bytes: octets.length,
      sha256: sha256(octets),
      expires_at: '2026-12-02T00:00:00.000Z',
    })
    const file = await on.shelf.get(key.principal, body.upload_id)
    assert.deepEqual([file.filename, file.mimeType], ['B\u00fcrger & Co.pdf', 'application/pdf'])
    assert.equal(sha256(file.octets), sha256(octets))
  })

  test("is its key's alone, for a day, and then it is deleted", async () => {
    const on = await bench()
    const key = await on.key()
    const { body } = await upload(on, key, Buffer.from('x'))
    const notThere = (error: unknown): boolean =>
      error instanceof Fault && error.code === 'attachment_not_found' && !error.public.includes('up_')
    await assert.rejects(on.shelf.get((await on.key()).principal, body.upload_id), notThere)
    const foreign = await on.key(undefined, { tenantId: await makeTenant(database.db) })
    await assert.rejects(on.shelf.get(foreign.principal, body.upload_id), notThere)
    await assert.rejects(on.shelf.get(key.principal, "up_' or true"), notThere)
    await purgeExpired(database.db, on.now)
    assert.equal((await on.shelf.get(key.principal, body.upload_id)).octets.length, 1)
    on.now = new Date(on.now.getTime() + 24 * 3_600_000)
    await assert.rejects(on.shelf.get(key.principal, body.upload_id), notThere)
    await purgeExpired(database.db, on.now)
    on.now = new Date('2026-12-01T00:00:00Z')
    await assert.rejects(on.shelf.get(key.principal, body.upload_id), notThere)
  })

  test('needs a key that composes, a name, a type that is no form, and octets', async () => {
    const on = await bench()
    const key = await on.key()
    const code = async (...args: Parameters<typeof upload>): Promise<string> => {
      const { status, body } = await upload(...args)
      return `${status} ${String(body.error_code)}`
    }
    const octets = Buffer.from('x')
    assert.equal(await code(on, await on.key(['read:email']), octets), '403 insufficient_scope')
    assert.equal(await code(on, { token: 'pst_live_none' }, octets), '401 unauthenticated')
    assert.equal(await code(on, key, octets, { query: '' }), '400 missing_argument')
    for (const name of ['a%0D%0Ab', '..%2Fa', 'a%5Cb', 'a%00', 'a'.repeat(256)])
      assert.equal(await code(on, key, octets, { query: `?filename=${name}` }), '400 invalid_arguments', name)
    assert.equal(
      await code(on, key, octets, { type: 'multipart/form-data; boundary=x' }),
      '400 invalid_arguments',
    )
    assert.equal(await code(on, key, octets, { type: 'nonsense' }), '415 bad_request')
    assert.equal(await code(on, key, Buffer.alloc(0)), '400 invalid_arguments')
    const { body } = await upload(on, key, octets, { type: 'application/x-www-form-urlencoded' })
    assert.equal(body['mime_type'], 'application/octet-stream')
    const get = await fetch(`${on.gateways[0].origin}/api/v1/uploads`, {
      headers: { 'x-api-key': key.token },
    })
    assert.equal(get.status, 405)
  })

  test('of 25 MB is taken and of an octet more is not, announced or not; nothing of it stays', async () => {
    const on = await bench()
    const key = await on.key()
    const limit = 25 * 1024 * 1024
    const most = await upload(on, key, Buffer.alloc(limit))
    assert.deepEqual([most.status, most.body['size_bytes']], [201, limit])
    const send = (headers: Record<string, string>, chunks: number): Promise<number> =>
      new Promise((resolve, reject) => {
        const out = request(`${on.gateways[0].origin}/api/v1/uploads?filename=a`, {
          method: 'POST',
          headers: { 'x-api-key': key.token, ...headers },
        })
        out.on('response', (answer) => {
          resolve(answer.statusCode ?? 0)
          answer.resume()
          out.destroy()
        })
        out.on('error', reject)
        for (let n = 0; n < chunks; n += 1) out.write(Buffer.alloc(1024 * 1024))
        if (chunks > 0) out.end('x')
        else out.flushHeaders()
      })
    assert.equal(await send({ 'content-length': String(limit + 1) }, 0), 413)
    assert.equal(await send({ 'transfer-encoding': 'chunked' }, 25), 413)
    assert.deepEqual(await filesOf(on), [most.body.upload_id])
  })

  test('of a client that leaves half-way nothing stays', async () => {
    const on = await bench()
    const key = await on.key()
    const out = request(`${on.gateways[0].origin}/api/v1/uploads?filename=a`, {
      method: 'POST',
      headers: { 'x-api-key': key.token, 'content-length': String(4 * 1024 * 1024) },
    })
    out.on('error', () => undefined)
    out.write(Buffer.alloc(2 * 1024 * 1024))
    const count = async (): Promise<number> => (await filesOf(on)).length
    while ((await count()) === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    out.destroy()
    while ((await count()) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  })

  test('counts as a call of its key', async () => {
    const on = await bench({ deps: { rateLimits: { ...keyRateLimits, minute: 1, tenantMinute: null } } })
    const key = await on.key()
    assert.equal((await upload(on, key, Buffer.from('x'))).status, 201)
    assert.equal((await upload(on, key, Buffer.from('x'))).status, 429)
  })
})

test('a link in a result goes to clients whose revision knows links; the others have it in the text', async () => {
  const link = { type: 'resource_link', uri: 'https://x/', name: 'a', mimeType: 'a/b', size: 1 } as const
  const tools = fakeTools({
    file: () => {
      const { result, ...outcome } = success('file', { download_url: link.uri })
      return { ...outcome, result: { ...result, content: [result.content[0], link] } }
    },
  })
  const listener = await listen({ tools, impliedKey: testKey })
  after(() => listener.close())
  const kinds = async (headers: RawHeaders): Promise<unknown> => {
    const { body } = await post(listener.url, toolCall('file'), headers)
    return ((body?.result?.['content'] ?? []) as { type: string }[]).map(({ type }) => type)
  }
  assert.deepEqual(await kinds({}), ['text'])
  assert.deepEqual(await kinds({ 'mcp-protocol-version': '2025-03-26' }), ['text'])
  assert.deepEqual(await kinds({ 'mcp-protocol-version': '2025-06-18' }), ['text', 'resource_link'])
})
