import {
  buildMessage,
  deliver,
  errorOf,
  octetsIn,
  openMailDesk,
  startTestDatabase,
  storeDraft,
  type MailDesk,
  type TestDatabase,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'

let database: TestDatabase
let desk: MailDesk

before(async () => {
  database = await startTestDatabase()
})

beforeEach(async () => {
  desk = await openMailDesk(database)
})

after(() => database.close())

type Answer = Record<string, unknown>
const send = (draft_id: unknown, args: Answer = {}): Promise<Answer> =>
  desk.answer('draft', { action: 'send', draft_id, ...args })
const refusal = async (draft_id: unknown, args: Answer = {}): Promise<Answer> =>
  errorOf(await desk.call('draft', { action: 'send', draft_id, ...args }))
const create = async (args: Answer = {}): Promise<unknown> =>
  (await desk.answer('draft', { action: 'create', subject: 'Lunch', body: 'At noon?', ...args }))['draft_id']
const drafts = (): readonly Uint8Array[] => octetsIn(desk.inbox.mailbox, 'Drafts')

const approval = {
  approvalId: 'ap_1',
  reviewUrl: 'https://postern.example/approvals/ap_1',
  expiresAt: new Date('2026-11-17T12:00:00Z'),
}

function split(raw: Uint8Array): { readonly header: readonly string[]; readonly body: string } {
  const text = Buffer.from(raw).toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  return { header: text.slice(0, end).split(/\r\n(?![ \t])/), body: text.slice(end + 4) }
}

/** A draft of another mail program, with what such keep for themselves, and a body that no builder of ours makes. */
function foreignDraft(): Uint8Array {
  return buildMessage({
    from: 'Olga <owner@home.example>',
    to: 'amy@sender.example',
    subject: 'Three days old',
    date: 'Fri, 13 Nov 2026 09:00:00 +0000',
    contentType: 'multipart/mixed; boundary="odd boundary"',
    headers: [
      'Bcc: eve@else.example',
      'X-Mozilla-Draft-Info: internal/draft; vcard=0',
      'X-Kept: yes',
      'X-Identity-Key: id1',
    ],
    body: [
      'preamble \t',
      '--odd boundary',
      'Content-Type: text/plain',
      '',
      'Odd   ',
      '--odd boundary',
      'Content-Type: application/zip; name=a.zip',
      'Content-Transfer-Encoding: base64',
      '',
      'AAAA',
      '--odd boundary--',
      'epilogue',
    ].join('\r\n'),
  })
}

describe('the stored revision goes', () => {
  test('check 154: also one of another program: body octet for octet, header but Bcc, Date and what is of drafts alone', async () => {
    const raw = foreignDraft()
    const told = await send(await storeDraft(desk, raw))
    assert.equal(told['outcome'], 'sent')
    const [arrived] = desk.arrived()
    assert.ok(arrived)
    const [before, now] = [split(raw), split(arrived)]
    assert.equal(now.body, before.body)
    const isKept = (line: string): boolean => !/^(?:Bcc|Date|X-Mozilla-Draft-Info|X-Identity-Key):/.test(line)
    assert.deepEqual(now.header.filter(isKept), before.header.filter(isKept))
    assert.ok(now.header.includes(`Date: ${desk.bench.now.toUTCString().replace('GMT', '+0000')}`))
    assert.deepEqual(now.header.filter((line) => !isKept(line)).length, 1)
    assert.equal(drafts().length, 0)
  })

  test('check 153: sending adds no signature', async () => {
    const draft_id = await create({ to: ['amy@sender.example'] })
    desk.bench.signatures.push({ email: null, text: 'Olga', html: null })
    await send(draft_id)
    assert.doesNotMatch(Buffer.from(desk.arrived()[0] ?? []).toString(), /Olga$/m)
  })

  test('check 159: needs send:email alone', async () => {
    const draft_id = await create({ to: ['amy@sender.example'] })
    const result = await desk.call('draft', { action: 'send', draft_id }, ['send:email'])
    assert.equal(result.structuredContent?.['outcome'], 'sent')
    const error = errorOf(await desk.call('draft', { action: 'send', draft_id }, ['manage:drafts']))
    assert.deepEqual((error['details'] as { missing_scopes: string[] }).missing_scopes, ['send:email'])
  })

  test('what answers something tells the rules who takes part in that, and not who the draft is to', async () => {
    const message_id = await deliver(
      desk,
      buildMessage({ messageId: '<p1@sender.example>', headers: ['Cc: carl@else.example'] }),
    )
    const { draft_id } = await desk.answer('draft', { action: 'reply', message_id, body: 'Yes.' })
    const second = await desk.answer('draft', {
      action: 'update',
      draft_id,
      body: 'Yes.',
      to: ['planted@else.example'],
    })
    // Asked while the draft is there, as the rules do.
    desk.bench.approval = approval
    await send(second['draft_id'])
    const people = (await desk.bench.submissions.at(-1)?.participants()) ?? []
    assert.ok(people.includes('carl@else.example'))
    assert.ok(!people.includes('planted@else.example'))
  })
})

describe('recipients', () => {
  test('a draft to nobody is draft_no_recipients', async () => {
    const error = await refusal(await create())
    assert.deepEqual([error['error_code'], error['outcome']], ['draft_no_recipients', 'not_sent'])
  })

  test('check 158: those given fill a draft without any; equal ones are noted; others are refused, naming update', async () => {
    const told = await send(await create(), { to: ['amy@sender.example'] })
    assert.equal(told['outcome'], 'sent')
    assert.equal(desk.arrived().length, 1)
    const draft_id = await create({ to: ['amy@sender.example'] })
    const error = await refusal(draft_id, { to: ['bob@else.example'] })
    assert.deepEqual([error['error_code'], error['outcome']], ['argument_not_allowed', 'not_sent'])
    assert.match(String(error['message']), /update/)
    const same = await send(draft_id, { to: ['AMY@sender.example'] })
    assert.match((same['notes'] as string[]).join(), /those of the draft/)
  })

  test('check 144: a draft from an address that is no identity is refused, and stays', async () => {
    const draft_id = await storeDraft(
      desk,
      buildMessage({ from: 'ceo@home.example', to: 'amy@sender.example' }),
    )
    const error = await refusal(draft_id)
    assert.deepEqual([error['error_code'], error['outcome']], ['sender_not_allowed', 'not_sent'])
    assert.equal(drafts().length, 1)
  })
})

describe('how it ends', () => {
  test('check 155: an answer that is lost after data is unknown, and the draft stays, noted', async () => {
    const draft_id = await create({ to: ['amy@sender.example'] })
    desk.inbox.faults = { submission: { lostAnswer: 'delivered' } }
    const told = await send(draft_id)
    assert.deepEqual([told['outcome'], told['retry']], ['unknown', 'never'])
    assert.match((told['notes'] as string[]).join(), /draft stays/)
    assert.equal(drafts().length, 1)
  })

  test('check 152: a stale id sends nothing', async () => {
    const draft_id = await create({ to: ['amy@sender.example'] })
    await desk.answer('draft', { action: 'update', draft_id, body: 'New.' })
    const error = await refusal(draft_id)
    assert.deepEqual([error['error_code'], error['outcome']], ['draft_stale', 'not_sent'])
    assert.equal(desk.bench.submissions.length, 0)
  })

  test('check 173: 50 at once under one key send it once', async () => {
    const draft_id = await create({ to: ['amy@sender.example'] })
    const args = { action: 'send', draft_id, idempotency_key: 'k' }
    await Promise.all(Array.from({ length: 50 }, () => desk.call('draft', args)))
    assert.equal(desk.arrived().length, 1)
    assert.equal((await desk.answer('draft', args))['idempotent_replay'], true)
  })

  test('check 145: what is held is frozen by a hash that changes with the draft, and the draft stays', async () => {
    desk.bench.approval = approval
    const draft_id = await create({ to: ['amy@sender.example'] })
    const told = await send(draft_id)
    assert.deepEqual([told['outcome'], told['draft_id']], ['pending_approval', draft_id])
    const second = await desk.answer('draft', { action: 'update', draft_id, body: 'Other.' })
    await send(second['draft_id'])
    const [first, other] = desk.bench.submissions.map(({ message }) => message.sha256)
    assert.notEqual(first, other)
    assert.equal(drafts().length, 1)
    assert.equal(desk.arrived().length, 0)
  })
})
