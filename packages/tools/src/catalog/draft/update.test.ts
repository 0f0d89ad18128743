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
import PostalMime from 'postal-mime'

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
const act = (action: string, args: Answer): Promise<Answer> => desk.answer('draft', { action, ...args })
const update = (draft_id: unknown, args: Answer = {}): Promise<Answer> =>
  act('update', { draft_id, body: 'New.', ...args })
const refusal = async (args: Answer): Promise<Answer> =>
  errorOf(await desk.call('draft', { action: 'update', ...args }))
const stored = (): readonly Uint8Array[] => octetsIn(desk.inbox.mailbox, 'Drafts')
/** The one draft that is there, as a parser that shares no code with ours reads it. */
const read = async () => {
  const [raw, ...others] = stored()
  assert.ok(raw)
  assert.equal(others.length, 0)
  return PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' })
}

describe('what is kept and what is not', () => {
  test('checks 149 and 160: without a body it is refused; recipients that are left out stay, [] clears them', async () => {
    const { draft_id } = await act('create', {
      subject: 'Lunch',
      body: 'Old.',
      to: ['amy@sender.example'],
      cc: ['bob@else.example'],
    })
    const error = await refusal({ draft_id, subject: 'Dinner' })
    assert.deepEqual(
      [error['error_code'], (error['details'] as { argument: string }).argument],
      ['missing_argument', 'body'],
    )
    const told = await update(draft_id, { cc: [] })
    assert.deepEqual([told['subject'], told['to'], told['cc']], ['Lunch', ['amy@sender.example'], []])
    assert.equal(told['untrusted_content'], true)
    const mail = await read()
    assert.deepEqual([mail.text?.trim(), mail.cc ?? []], ['New.', []])
  })

  test('check 150: file, thread and quote of an answer stay, the own text is replaced', async () => {
    const message_id = await deliver(
      desk,
      buildMessage({ messageId: '<p1@sender.example>', body: 'Shall we?' }),
    )
    const octets = Buffer.from(Array.from({ length: 256 }, (_, n) => n))
    const file = { filename: 'all.bin', mime_type: 'application/x-all', data: octets.toString('base64') }
    const { draft_id } = await act('reply', { message_id, body: 'Old.', attachments: [file] })
    await update(draft_id)
    const mail = await read()
    assert.deepEqual([mail.inReplyTo, mail.references], ['<p1@sender.example>', '<p1@sender.example>'])
    assert.match(mail.text ?? '', /^New\.\s+On .* wrote:\s+> Shall we\?\s*$/s)
    const [attached, ...others] = mail.attachments
    assert.equal(others.length, 0)
    assert.ok(octets.equals(Buffer.from(attached?.content as ArrayBuffer)))
  })

  test('check 150: one that was read and written back has its quote once', async () => {
    const message_id = await deliver(desk, buildMessage({ body: 'Shall we?' }))
    const { draft_id } = await act('reply', { message_id, body: 'Old.' })
    const { draft } = (await desk.answer('draft_list', { draft_id })) as { draft: { body: string } }
    const body = draft.body.split('\n').slice(1, -1).join('\n').replace('Old.', 'New.')
    await update(draft_id, { body })
    assert.equal((await read()).text?.split('Shall we?').length, 2)
  })

  test('check 153: written twice with a signature it has one, and include_signature false takes it off', async () => {
    desk.bench.signatures.push({ email: 'OWNER@home.example', text: 'Olga\nHome', html: null })
    const { draft_id } = await act('create', { subject: 'Lunch', body: 'Old.' })
    const second = await update(draft_id, { body: 'New.\n\n-- \nOlga\nHome' })
    const text = async (): Promise<string> => ((await read()).text ?? '').replaceAll('\r\n', '\n').trim()
    assert.equal(await text(), 'New.\n\n-- \nOlga\nHome')
    const third = await update(second['draft_id'])
    assert.equal(await text(), 'New.\n\n-- \nOlga\nHome')
    await update(third['draft_id'], { include_signature: false })
    assert.equal(await text(), 'New.')
  })

  test('an HTML version that says what the old text said goes, and a note says so', async () => {
    const { draft_id } = await act('create', { subject: 'Lunch', body: 'Old.', html_body: '<p>Old.</p>' })
    const told = await update(draft_id)
    assert.match((told['notes'] as string[]).join(), /HTML version/)
    assert.equal((await read()).html, undefined)
  })

  test('given files replace the stored ones, and [] clears them', async () => {
    const file = (filename: string): Answer => ({ filename, mime_type: 'text/plain', data: 'AAAA' })
    const { draft_id } = await act('create', { subject: 'x', body: 'x', attachments: [file('a.txt')] })
    const second = await update(draft_id, { attachments: [file('b.txt')] })
    assert.deepEqual(
      (await read()).attachments.map(({ filename }) => filename),
      ['b.txt'],
    )
    await update(second['draft_id'], { attachments: [] })
    assert.deepEqual((await read()).attachments, [])
  })

  test('a draft of another program is taken over: its recipients, its subject, its sender', async () => {
    const raw = buildMessage({
      from: 'Olga <owner@home.example>',
      to: 'amy@sender.example',
      subject: 'Old one',
    })
    const told = await update(await storeDraft(desk, raw))
    assert.deepEqual([told['subject'], told['to']], ['Old one', ['amy@sender.example']])
  })
})

describe('ids', () => {
  test('check 151: each update makes a new id and names the one before; one draft is left', async () => {
    const { draft_id } = await act('create', { subject: 'x', body: 'x' })
    const told = await update(draft_id)
    assert.equal(told['previous_draft_id'], draft_id)
    assert.notEqual(told['draft_id'], draft_id)
    assert.equal(stored().length, 1)
  })

  test('check 151: a crash between storing and removing leaves two, and the answer that nobody got is unknown', async () => {
    const { draft_id } = await act('create', { subject: 'x', body: 'x' })
    const { ledger } = desk.bench.deps
    const real = ledger.enter.bind(ledger)
    let changes = 0
    // What a killed process looks like from the mailbox: the second change is never begun.
    ledger.enter = async (operation, stage) => {
      if (stage === 'change') changes += 1
      if (changes > 1) throw new Error('killed')
      await real(operation, stage)
    }
    const told = await update(draft_id)
    ledger.enter = real
    assert.equal(stored().length, 2)
    assert.deepEqual([told['outcome'], told['previous_draft_id']], ['done', draft_id])
    assert.match((told['notes'] as string[]).join(), /two drafts/)
  })

  test('check 152: an id of before is draft_stale, and what lies there now is untouched', async () => {
    const { draft_id } = await act('create', { subject: 'x', body: 'x' })
    await update(draft_id)
    const [before] = stored()
    const error = await refusal({ draft_id, body: 'Again.' })
    assert.deepEqual([error['error_code'], error['outcome']], ['draft_stale', 'failed'])
    assert.deepEqual(stored(), [before])
    desk.inbox.mailbox.rebuild('Drafts')
    const { drafts } = (await desk.answer('draft_list', {})) as { drafts: { draft_id: string }[] }
    assert.equal((await update(drafts[0]?.draft_id))['outcome'], 'done')
  })

  test('check 157: repeated with its key it is made once', async () => {
    const { draft_id } = await act('create', { subject: 'x', body: 'x' })
    const first = await update(draft_id, { idempotency_key: 'k' })
    const again = await update(draft_id, { idempotency_key: 'k' })
    assert.deepEqual([again['draft_id'], again['idempotent_replay']], [first['draft_id'], true])
    assert.equal(stored().length, 1)
  })

  test('a message that is no draft is none to update, wherever it lies', async () => {
    desk.inbox.mailbox.append('Drafts', { raw: buildMessage(), receivedAt: desk.bench.now })
    const { drafts } = (await desk.answer('draft_list', {})) as { drafts: { draft_id: string }[] }
    for (const { draft_id } of drafts)
      assert.equal((await refusal({ draft_id, body: 'x' }))['error_code'], 'draft_stale')
    assert.equal(stored().length, 1)
  })
})
