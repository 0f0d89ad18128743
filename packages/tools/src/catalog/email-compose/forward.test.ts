import { createHash } from 'node:crypto'
import { Fault } from '@postern/core'
import {
  buildMessage,
  deliver,
  errorOf,
  openMailDesk,
  readHostileMail,
  startTestDatabase,
  type MailDesk,
  type MessageInit,
  type TestDatabase,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { tokensOf } from '../../budget.ts'

let database: TestDatabase
let desk: MailDesk

before(async () => {
  database = await startTestDatabase()
})

beforeEach(async () => {
  desk = await openMailDesk(database)
})

after(() => database.close())

const to = ['amy@sender.example']
const forward = (args: Record<string, unknown>): Promise<Record<string, unknown>> =>
  desk.answer('email_compose', { action: 'forward', to, ...args })
const refusal = async (args: Record<string, unknown>): Promise<Record<string, unknown>> =>
  errorOf(await desk.call('email_compose', { action: 'forward', to, ...args }))
const arrived = async () => {
  const raw = desk.arrived().at(-1)
  assert.ok(raw)
  return PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer', forceRfc822Attachments: true })
}
const sha256 = (octets: unknown): string =>
  createHash('sha256')
    .update(new Uint8Array(octets as ArrayBuffer))
    .digest('hex')

const everyOctet = Buffer.from(Array.from({ length: 256 }, (_, n) => n))

function withFiles(): MessageInit {
  const file = (name: string, type: string, more: readonly string[] = []): string =>
    [
      '--b',
      `Content-Type: ${type}; name=${name}`,
      'Content-Transfer-Encoding: base64',
      ...more,
      '',
      everyOctet.toString('base64'),
    ].join('\r\n')
  return {
    from: 'Bob <bob@else.example>',
    subject: 'Fwd: Plans',
    contentType: 'multipart/related; boundary=b',
    body: [
      [
        '--b',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<p>See <img src="cid:pic@x"> and <script>x</script></p>',
      ].join('\r\n'),
      file('pic.png', 'image/png', ['Content-ID: <pic@x>', 'Content-Disposition: inline; filename=pic.png']),
      file('a.pdf', 'application/pdf', ['Content-Disposition: attachment; filename=a.pdf']),
      file('b.zip', 'application/zip', ['Content-Disposition: attachment; filename=b.zip']),
      '--b--',
    ].join('\r\n'),
  }
}

describe('in place', () => {
  test('check 136: files and pictures go along to the octet, the words below a head that says whose they are', async () => {
    const message_id = await deliver(desk, buildMessage(withFiles()))
    const told = await forward({ message_id, body: 'For you.' })
    assert.deepEqual(
      [told['outcome'], told['subject'], told['untrusted_content']],
      ['sent', 'Fwd: Plans', true],
    )
    const mail = await arrived()
    assert.deepEqual(
      mail.attachments.map(({ filename, content }) => [filename, sha256(content)]),
      ['pic.png', 'a.pdf', 'b.zip'].map((name) => [name, sha256(everyOctet)]),
    )
    assert.match(mail.text ?? '', /^For you\.[^]*Forwarded message[^]*From: Bob <bob@else\.example>[^]*See/)
    assert.match(mail.html ?? '', /cid:pic@x/)
    assert.doesNotMatch(mail.html ?? '', /<script/)
  })

  test('without include_attachments its files stay, and pictures of its text do not', async () => {
    const message_id = await deliver(desk, buildMessage(withFiles()))
    await forward({ message_id, include_attachments: false })
    assert.deepEqual(
      (await arrived()).attachments.map(({ filename }) => filename),
      ['pic.png'],
    )
  })

  test('check 136: what does not fit is refused before anything is fetched, naming file and limit', async () => {
    const big = 'A'.repeat(76).concat('\r\n').repeat(480_000)
    const body = [
      '--b',
      'Content-Type: text/plain',
      '',
      'x',
      '--b',
      'Content-Type: application/zip; name=big.zip',
      'Content-Transfer-Encoding: base64',
      '',
      big,
      '--b--',
    ].join('\r\n')
    const message_id = await deliver(desk, buildMessage({ contentType: 'multipart/mixed; boundary=b', body }))
    const error = await refusal({ message_id })
    assert.deepEqual([error['error_code'], error['outcome']], ['attachment_too_large', 'not_sent'])
    assert.match(String(error['message']), /attachment_index 0/)
    assert.equal((error['details'] as { limit_bytes: number }).limit_bytes, 25 * 1024 * 1024)
  })
})

describe('as a file', () => {
  for (const { name, octets } of readHostileMail()) {
    test(`check 136: the original is attached octet for octet, whatever it holds: ${name}`, async () => {
      const message_id = await deliver(desk, octets)
      assert.equal((await forward({ message_id, as_attachment: true }))['outcome'], 'sent')
      const { attachments } = await arrived()
      assert.equal(attachments.length, 1)
      // Of an attached message that parser rewrites the line ends: its octets are looked for on the wire.
      const isOnWire = Buffer.from(desk.arrived()[0] ?? []).includes(Buffer.from(octets))
      assert.ok(isOnWire || sha256(attachments[0]?.content) === sha256(octets))
    })
  }
})

describe('arguments', () => {
  for (const [why, args, code] of [
    ['no message at all', {}, 'missing_argument'],
    ['one and several', { message_id: 'm_x', message_ids: ['m_x'] }, 'conflicting_arguments'],
    ['HTML without its text', { message_id: 'm_x', html_body: '<p>x</p>' }, 'missing_argument'],
    ['an id that leads nowhere', { message_id: 'm_x' }, 'message_not_found'],
    ['a subject', { message_id: 'm_x', subject: 'x' }, 'argument_not_allowed'],
  ] as const) {
    test(`${why} is ${code}`, async () => {
      const error = await refusal(args)
      assert.deepEqual([error['error_code'], error['outcome']], [code, 'not_sent'])
    })
  }
})

describe('several', () => {
  const three = async (): Promise<readonly string[]> => [
    await deliver(desk, buildMessage({ subject: 'One' })),
    await deliver(desk, buildMessage({ subject: 'Two' })),
    await deliver(desk, buildMessage({ subject: 'Three' })),
  ]
  type Results = readonly { message_id: string; outcome: string; operation_id: string; code?: string }[]
  const subjects = async (): Promise<readonly (string | undefined)[]> =>
    (await Promise.all(desk.arrived().map((raw) => PostalMime.parse(raw)))).map(({ subject }) => subject)

  test('each goes in a message and under an operation of its own, in order', async () => {
    const message_ids = await three()
    const told = await forward({ message_ids })
    assert.deepEqual([told['outcome'], told['attempted'], told['has_more']], ['sent', 3, false])
    const results = told['results'] as Results
    assert.deepEqual(
      results.map(({ message_id, outcome }) => [message_id, outcome]),
      message_ids.map((id) => [id, 'sent']),
    )
    assert.equal(new Set([told['operation_id'], ...results.map(({ operation_id }) => operation_id)]).size, 4)
    assert.deepEqual(await subjects(), ['Fwd: One', 'Fwd: Two', 'Fwd: Three'])
  })

  test('one that is missing fails alone: partial, named first', async () => {
    const [one = '', two = ''] = await three()
    const told = await forward({ message_ids: [one, 'm_gone', two] })
    assert.equal(told['outcome'], 'partial')
    const [first, ...others] = told['results'] as Results
    assert.deepEqual(
      [first?.message_id, first?.outcome, first?.code],
      ['m_gone', 'not_sent', 'message_not_found'],
    )
    assert.deepEqual(
      others.map(({ outcome }) => outcome),
      ['sent', 'sent'],
    )
  })

  test('all missing is the error itself, and not_sent', async () => {
    const error = await refusal({ message_ids: ['m_a', 'm_b'] })
    assert.deepEqual([error['error_code'], error['outcome']], ['message_not_found', 'not_sent'])
  })

  test('check 178: with its key a call that sent nothing runs again, and what was sent meanwhile is not sent twice', async () => {
    const message_ids = await three()
    const args = { message_ids, idempotency_key: 'k' }
    desk.inbox.faults = { submission: { connection: new Fault('provider_unavailable', { public: 'Down.' }) } }
    assert.equal((await refusal(args))['outcome'], 'not_sent')
    desk.inbox.faults = {}
    assert.equal((await forward(args))['outcome'], 'sent')
    const again = await forward(args)
    assert.deepEqual([again['outcome'], again['idempotent_replay']], ['sent', true])
    assert.equal(desk.arrived().length, 3)
  })

  test('after one whose answer was lost the others go on; the call is partial and none goes twice', async () => {
    const message_ids = await three()
    const args = { message_ids, idempotency_key: 'k' }
    const submission: { lostAnswer?: 'delivered' } = { lostAnswer: 'delivered' }
    desk.inbox.faults = {
      get submission() {
        const now = { ...submission }
        delete submission.lostAnswer
        return now
      },
    }
    const told = await forward(args)
    assert.equal(told['outcome'], 'partial')
    assert.deepEqual(
      (told['results'] as Results).map(({ outcome }) => outcome),
      ['unknown', 'sent', 'sent'],
    )
    assert.equal((await forward(args))['idempotent_replay'], true)
    assert.equal(desk.arrived().length, 3)
  })

  test('fifty keep to 800 tokens, and the rest is counted', async () => {
    const ids: string[] = []
    for (let n = 0; n < 50; n++) ids.push(await deliver(desk, buildMessage()))
    const told = await forward({ message_ids: ids })
    assert.equal(told['outcome'], 'sent')
    assert.ok(tokensOf(told) <= 800, String(tokensOf(told)))
    assert.equal((told['results'] as Results).length + Number(told['results_omitted']), 50)
  })
})
