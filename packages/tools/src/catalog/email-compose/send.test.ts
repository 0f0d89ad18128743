import { createHash } from 'node:crypto'
import { Fault, silentLog } from '@postern/core'
import {
  buildMessage,
  deliver,
  errorOf,
  octetsIn,
  openMailDesk,
  startTestDatabase,
  type MailDesk,
  type TestDatabase,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { tokensOf } from '../../budget.ts'
import { createTools } from '../../index.ts'

let database: TestDatabase
let desk: MailDesk

before(async () => {
  database = await startTestDatabase()
})

beforeEach(async () => {
  desk = await openMailDesk(database, { aliases: ['olga@alias.example'] })
})

after(() => database.close())

const base = { action: 'send', to: ['Amy <amy@sender.example>'], subject: 'Lunch', body: 'At noon?' }
const send = (args: Record<string, unknown> = {}): Promise<Record<string, unknown>> =>
  desk.answer('email_compose', { ...base, ...args })
const refusal = async (args: Record<string, unknown>): Promise<Record<string, unknown>> =>
  errorOf(await desk.call('email_compose', { ...base, ...args }))
/** The one message that arrived, as a parser that shares no code with ours reads it. */
const read = async () => {
  const [raw, ...others] = desk.arrived()
  assert.ok(raw)
  assert.equal(others.length, 0)
  return PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' })
}
const sha256 = (octets: Uint8Array | ArrayBuffer): string =>
  createHash('sha256').update(new Uint8Array(octets)).digest('hex')

/** What the ledger holds of the write that this is the answer of. */
const rowOf = ({ operation_id: id }: Record<string, unknown>) =>
  desk.bench.deps.ledger.get(desk.bench.principal(), String(id))

describe('what goes out', () => {
  test('check 124: text, subject and names of any script arrive as they were written', async () => {
    const body = 'Price: 5 \u20ac\n\u4f1a\u8bae\n\ud83d\ude00'
    await send({
      body,
      subject: '\u4f1a\u8bae '.repeat(30).trim(),
      to: ['"\u0410\u043d\u043d\u0430 Amy" <amy@sender.example>'],
    })
    const mail = await read()
    assert.equal(mail.text?.trim().replaceAll('\r\n', '\n'), body)
    assert.equal(mail.subject, '\u4f1a\u8bae '.repeat(30).trim())
    assert.equal(mail.to?.[0]?.name, '\u0410\u043d\u043d\u0430 Amy')
    assert.deepEqual([mail.from?.name, mail.from?.address], ['Olga Owner', 'owner@home.example'])
  })

  test('check 129: Bcc is in the copy of the owner, and on nothing that arrives', async () => {
    await send({ to: ['amy@sender.example'], bcc: ['hidden@else.example'] })
    const [copy] = octetsIn(desk.inbox.mailbox, 'Sent')
    assert.match(Buffer.from(copy ?? []).toString(), /^Bcc: hidden@else\.example/m)
    assert.doesNotMatch(Buffer.from(desk.arrived()[0] ?? []).toString(), /hidden@/)
    assert.deepEqual(desk.bench.submissions[0]?.message.envelope.to, [
      'amy@sender.example',
      'hidden@else.example',
    ])
  })

  test('check 138: a file of a message and an uploaded one arrive to the octet, without base64 in the call', async () => {
    const octets = Buffer.from(Array.from({ length: 256 }, (_, n) => n))
    const source = await deliver(
      desk,
      buildMessage({
        contentType: 'multipart/mixed; boundary=b',
        body: [
          '--b',
          'Content-Type: text/plain',
          '',
          'See file.',
          '--b',
          'Content-Type: application/x-all; name=all.bin',
          'Content-Transfer-Encoding: base64',
          'Content-Disposition: attachment; filename=all.bin',
          '',
          octets.toString('base64'),
          '--b--',
        ].join('\r\n'),
      }),
    )
    desk.bench.uploads.set('up_1', { filename: 'up.pdf', mimeType: 'application/pdf', octets })
    await send({
      attachments: [
        { source_message_id: source, attachment_index: 0 },
        { upload_id: 'up_1' },
        { filename: 'in.txt', mime_type: 'text/plain', data: octets.toString('base64') },
      ],
    })
    const { attachments } = await read()
    assert.deepEqual(
      attachments.map(({ filename, content }) => [filename, sha256(content as ArrayBuffer)]),
      ['all.bin', 'up.pdf', 'in.txt'].map((name) => [name, sha256(octets)]),
    )
  })

  test('check 143: without from the primary identity writes, under its name, with its signature', async () => {
    desk.bench.signatures.push({ email: null, text: 'Olga', html: null })
    await send()
    const mail = await read()
    assert.equal(mail.from?.address, 'owner@home.example')
    assert.equal(mail.text?.trim().replaceAll('\r\n', '\n'), 'At noon?\n\n-- \nOlga')
    await send({ include_signature: false, from: 'OLGA@alias.example' })
    const second = await PostalMime.parse(desk.arrived()[1] ?? '')
    assert.deepEqual([second.from?.address, second.text?.trim()], ['olga@alias.example', 'At noon?'])
  })

  test('the answer says who accepted, under which ids, and where the copy is, without being marked untrusted', async () => {
    const answer = await send({ cc: ['bob@else.example'] })
    assert.equal(answer['outcome'], 'sent')
    assert.deepEqual(answer['recipients'], [
      { email: 'amy@sender.example', field: 'to', status: 'accepted', smtp_code: 250, enhanced_code: null },
      { email: 'bob@else.example', field: 'cc', status: 'accepted', smtp_code: 250, enhanced_code: null },
    ])
    assert.deepEqual(answer['sent_copy'], { status: 'saved', folder_id: 'Sent' })
    assert.deepEqual(
      [answer['from'], answer['subject'], answer['thread_id']],
      ['owner@home.example', 'Lunch', null],
    )
    assert.equal('untrusted_content' in answer, false)
    const read_ = await desk.answer('email_read', { action: 'read', message_id: answer['message_id'] })
    assert.deepEqual([read_['folder_id'], read_['rfc_message_id']], ['Sent', answer['rfc_message_id']])
  })

  test('check 19: the rules judge the message as it leaves, links included, and the record tells verdicts and no word of it', async () => {
    const text = { body: 'See https://shop.example/a', html_body: '<a href="https://bank.example/b">See</a>' }
    await send(text)
    const [judged] = desk.bench.submissions
    assert.ok(judged)
    const bodyOf = (octets: Uint8Array): Buffer =>
      Buffer.from(octets).subarray(Buffer.from(octets).indexOf('\r\n\r\n'))
    const [left] = desk.arrived()
    assert.ok(left && bodyOf(left).equals(bodyOf(judged.message.octets)))
    for (const link of ['https://shop.example/a', 'https://bank.example/b'])
      assert.ok(bodyOf(left).includes(link), link)
    const refuse = () => Promise.reject(new Fault('recipient_not_allowed', { public: 'Nothing was sent.' }))
    const ruled = createTools({ ...desk.bench.deps, outbox: { submit: refuse } })
    const call = {
      principal: desk.bench.principal({ inboxIds: [desk.inbox.record.inboxId] }),
      requestId: 'req_1',
      signal: new AbortController().signal,
      log: silentLog,
      isReadOnly: false,
      progress: null,
    }
    const { result } = await ruled.callTool(call, 'email_compose', { ...base, ...text })
    assert.deepEqual(
      [errorOf(result)['error_code'], errorOf(result)['outcome']],
      ['recipient_not_allowed', 'not_sent'],
    )
    assert.deepEqual(
      desk.bench.events.map(({ operation, effect, outcome, faultCode }) => [
        operation,
        effect,
        outcome,
        faultCode,
      ]),
      [
        ['email_compose.send', 'send', 'ok', null],
        ['email_compose.send', 'send', 'denied', 'recipient_not_allowed'],
      ],
    )
    assert.doesNotMatch(JSON.stringify(desk.bench.events), /amy|Lunch|See|shop|bank/)
  })

  test('an answer with a hundred recipients keeps to 800 tokens and counts them all', async () => {
    const some = (name: string): string[] =>
      Array.from({ length: 50 }, (_, n) => `${name}${n}.${'x'.repeat(40)}@else.example`)
    const answer = await send({ to: some('a'), cc: some('b'), subject: '\u4f1a'.repeat(989) })
    assert.ok(tokensOf(answer) <= 800, String(tokensOf(answer)))
    assert.deepEqual(answer['recipient_counts'], { accepted: 100, rejected: 0, unknown: 0 })
    assert.equal(
      (answer['recipients'] as unknown[]).length +
        Number(answer['results_omitted'] ?? answer['recipients_omitted']),
      100,
    )
  })
})

describe('what is refused, before anything leaves', () => {
  const cases: readonly (readonly [why: string, args: Record<string, unknown>, code: string])[] = [
    ['check 126: a line break in the subject', { subject: 'a\r\nBcc: x@y.example' }, 'invalid_arguments'],
    [
      'check 126: a line break in a name',
      { to: ['"A\r\nBcc: x@y.example" <amy@sender.example>'] },
      'recipient_invalid',
    ],
    [
      'check 126: a line break in a file name',
      { attachments: [{ filename: 'a\r\nb', mime_type: 'text/plain', data: '' }] },
      'invalid_arguments',
    ],
    [
      'check 127: a second at sign in a quoted local part',
      { to: ['"x@gmail.com x"@internal.example'] },
      'recipient_invalid',
    ],
    ['check 144: a from that is no identity', { from: 'ceo@home.example' }, 'sender_not_allowed'],
    ['check 156: an empty subject', { subject: '' }, 'invalid_arguments'],
    ['check 156: a subject of 990 characters', { subject: 'x'.repeat(990) }, 'invalid_arguments'],
    ['two forms of file in one', { attachments: [{ upload_id: 'up_1', data: 'AA==' }] }, 'invalid_arguments'],
    [
      'a file without its octets',
      { attachments: [{ filename: 'a', mime_type: 'text/plain' }] },
      'invalid_arguments',
    ],
    [
      'base64 with foreign characters',
      { attachments: [{ filename: 'a', mime_type: 'text/plain', data: 'AA=*' }] },
      'invalid_arguments',
    ],
    [
      'base64 without padding',
      { attachments: [{ filename: 'a', mime_type: 'text/plain', data: 'AA' }] },
      'invalid_arguments',
    ],
    [
      'base64 with line breaks',
      { attachments: [{ filename: 'a', mime_type: 'text/plain', data: 'AAAA\r\nAAAA' }] },
      'invalid_arguments',
    ],
    [
      'a type that is none',
      { attachments: [{ filename: 'a', mime_type: 'text', data: 'AA==' }] },
      'invalid_arguments',
    ],
    ['an upload that is not there', { attachments: [{ upload_id: 'up_gone' }] }, 'attachment_not_found'],
    ['nobody to write to', { to: [] }, 'invalid_arguments'],
    [
      'more than 10 MB inline',
      {
        attachments: Array.from({ length: 2 }, () => ({
          filename: 'a',
          mime_type: 'text/plain',
          data: Buffer.alloc(6 * 1024 * 1024).toString('base64'),
        })),
      },
      'attachment_too_large',
    ],
  ]
  for (const [why, args, code] of cases) {
    test(why, async () => {
      const error = await refusal(args)
      assert.deepEqual([error['error_code'], error['outcome']], [code, 'not_sent'])
      assert.equal(desk.bench.submissions.length, 0)
      assert.equal(desk.arrived().length, 0)
    })
  }

  test('of more than 20 files the refusal says how many may come and what each is made of; 20 are sent', async () => {
    const files = (count: number) =>
      Array.from({ length: count }, () => ({ filename: 'a', mime_type: 'text/plain', data: 'AA==' }))
    const { details } = await refusal({ attachments: files(21) })
    assert.equal(
      (details as { valid: string }).valid,
      'an array of 0 to 20 objects with filename, mime_type, data, source_message_id, attachment_index, upload_id',
    )
    assert.equal((await send({ attachments: files(20) }))['outcome'], 'sent')
  })

  test('100 recipients are written to; 101, and 51 in one field, are refused', async () => {
    const many = (count: number, letter: string): string[] =>
      Array.from({ length: count }, (_, index) => `${letter}${index}@else.example`)
    const full = { to: many(50, 'a'), cc: many(49, 'b') }
    const sent = await send({ ...full, bcc: ['c0@else.example'] })
    assert.deepEqual(sent['recipient_counts'], { accepted: 100, rejected: 0, unknown: 0 })
    assert.equal((await refusal({ ...full, bcc: many(2, 'c') }))['error_code'], 'too_many_recipients')
    assert.equal((await refusal({ to: many(51, 'a') }))['error_code'], 'invalid_arguments')
  })

  test('500,000 characters of text are sent; one more, or 1,000,001 of markup, are refused', async () => {
    assert.equal((await send({ body: 'x'.repeat(500_000) }))['outcome'], 'sent')
    assert.equal((await refusal({ body: 'x'.repeat(500_001) }))['error_code'], 'invalid_arguments')
    assert.equal((await refusal({ html_body: 'x'.repeat(1_000_001) }))['error_code'], 'invalid_arguments')
  })

  test('check 144: the refusal lists the identities', async () => {
    const { details } = (await refusal({ from: 'x@else.example' })) as { details: { identities: string[] } }
    assert.deepEqual(details.identities, ['owner@home.example', 'olga@alias.example'])
  })

  test('a file of a message needs read:attachments, whatever else the key may', async () => {
    const source = await deliver(desk, buildMessage())
    const args = { ...base, attachments: [{ source_message_id: source, attachment_index: 0 }] }
    const error = errorOf(await desk.call('email_compose', args, ['send:email', 'read:email']))
    assert.equal(error['error_code'], 'insufficient_scope')
    assert.deepEqual((error['details'] as { missing_scopes: string[] }).missing_scopes, ['read:attachments'])
    const absent = await refusal({ attachments: [{ source_message_id: source, attachment_index: 7 }] })
    assert.equal(absent['error_code'], 'attachment_not_found')
  })

  test('check 137: a file that cannot be fetched is source_unavailable, and nothing was sent', async () => {
    const source = await deliver(desk, buildMessage())
    desk.inbox.faults = {
      failingVerbs: new Map([
        ['getMessages', new Fault('provider_unavailable', { public: 'Gone.', internal: 'secret' })],
      ]),
    }
    const error = await refusal({ attachments: [{ source_message_id: source, attachment_index: 0 }] })
    assert.deepEqual(
      [error['error_code'], error['outcome'], error['retryable']],
      ['source_unavailable', 'not_sent', true],
    )
    assert.doesNotMatch(JSON.stringify(error), /secret/)
    assert.equal(desk.bench.submissions.length, 0)
  })
})

describe('how it ends', () => {
  const rejected = (...emails: readonly string[]) => ({
    refusedRecipients: new Map(emails.map((email) => [email, { smtpCode: 550, enhancedCode: '5.1.1' }])),
  })
  const three = { to: ['amy@sender.example', 'b@else.example'], cc: ['c@else.example'] }

  test('check 140: one of three refused is partial, the refused one first', async () => {
    desk.inbox.faults = { submission: rejected('b@else.example') }
    const answer = await send(three)
    assert.equal(answer['outcome'], 'partial')
    const recipients = answer['recipients'] as {
      email: string
      status: string
      smtp_code: number
      enhanced_code: string
    }[]
    assert.deepEqual(
      recipients.map(({ email, status }) => [email, status]),
      [
        ['b@else.example', 'rejected'],
        ['amy@sender.example', 'accepted'],
        ['c@else.example', 'accepted'],
      ],
    )
    assert.deepEqual([recipients[0]?.smtp_code, recipients[0]?.enhanced_code], [550, '5.1.1'])
  })

  test('all refused is not_sent, with each answer by field and position and no address', async () => {
    desk.inbox.faults = { submission: rejected('amy@sender.example', 'b@else.example', 'c@else.example') }
    const error = await refusal(three)
    assert.deepEqual(
      [error['error_code'], error['outcome'], error['retryable']],
      ['send_refused', 'not_sent', false],
    )
    const { recipients } = error['details'] as { recipients: Record<string, unknown>[] }
    assert.deepEqual(
      recipients.map(({ field, position }) => [field, position]),
      [
        ['to', 1],
        ['to', 2],
        ['cc', 1],
      ],
    )
    assert.doesNotMatch(JSON.stringify(error), /amy@|else\.example/)
  })

  test('check 139: an answer that is lost is unknown, sent once, and never sent again under its key', async () => {
    desk.inbox.faults = { submission: { lostAnswer: 'delivered' } }
    const first = await send({ idempotency_key: 'once' })
    assert.deepEqual([first['outcome'], first['retry'], first['message_id']], ['unknown', 'never', null])
    desk.inbox.faults = {}
    const again = await send({ idempotency_key: 'once' })
    assert.deepEqual([again['outcome'], again['idempotent_replay']], ['unknown', true])
    assert.equal(desk.arrived().length, 1)
  })

  test('check 141: a copy that cannot be kept changes nothing about the sending', async () => {
    desk.inbox.faults = { submission: { sentCopy: new Fault('provider_error', { public: 'Full.' }) } }
    const answer = await send()
    assert.deepEqual(
      [answer['outcome'], (answer['sent_copy'] as { status: string }).status],
      ['sent', 'failed'],
    )
  })

  test('check 146: what is held says where it is decided and nothing of the message, and its key gives the same approval', async () => {
    desk.bench.approval = {
      approvalId: 'ap_1',
      reviewUrl: 'https://postern.example/approvals/ap_1',
      expiresAt: new Date('2026-11-17T12:00:00Z'),
    }
    const args = { idempotency_key: 'held', subject: 'CANARY', body: 'CANARY' }
    for (const answer of [await send(args), await send(args)]) {
      assert.deepEqual(
        [answer['outcome'], answer['approval_id'], answer['expires_at']],
        ['pending_approval', 'ap_1', '2026-11-17T12:00:00.000Z'],
      )
      assert.doesNotMatch(JSON.stringify(answer), /CANARY|amy@/)
    }
    assert.equal(desk.bench.submissions.length, 1)
    assert.equal(desk.arrived().length, 0)
  })
})

describe('once', () => {
  test('check 173 and 180: 50 identical calls at once under one key send one message', async () => {
    const results = await Promise.all(
      Array.from({ length: 50 }, () => desk.call('email_compose', { ...base, idempotency_key: 'k' })),
    )
    assert.equal(desk.arrived().length, 1)
    const ids = new Set(results.flatMap((one) => one.structuredContent?.['operation_id'] ?? []))
    assert.equal(ids.size, 1)
    for (const one of results.filter(({ isError }) => isError === true))
      assert.equal(errorOf(one)['error_code'], 'operation_in_progress')
  })

  test('check 175: neither the ledger nor a replay knows a recipient, a subject or a word', async () => {
    const args = {
      idempotency_key: 'k',
      to: ['Canary <amy@sender.example>'],
      cc: ['canary@else.example'],
      subject: 'CANARY',
      body: 'CANARY',
    }
    const first = await send(args)
    const again = await send(args)
    assert.equal(again['idempotent_replay'], true)
    for (const name of ['operation_id', 'message_id', 'rfc_message_id', 'outcome'])
      assert.equal(again[name], first[name], name)
    assert.deepEqual(
      ['recipients', 'subject', 'from'].filter((name) => name in again),
      [],
    )
    const row = await rowOf(first)
    assert.doesNotMatch(JSON.stringify(row), /canary|amy@|owner@/i)
  })

  test('check 178: what was not sent is tried again under its key', async () => {
    desk.inbox.faults = { submission: { connection: new Fault('provider_unavailable', { public: 'Down.' }) } }
    const error = await refusal({ idempotency_key: 'k' })
    assert.deepEqual([error['error_code'], error['outcome']], ['provider_unavailable', 'not_sent'])
    desk.inbox.faults = {}
    assert.equal((await send({ idempotency_key: 'k' }))['outcome'], 'sent')
  })

  test('check 180: an equal send without a key goes out and names the first', async () => {
    const first = await send()
    const second = await send()
    assert.deepEqual([second['outcome'], second['possible_duplicate_of']], ['sent', first['operation_id']])
    assert.equal(desk.arrived().length, 2)
    assert.equal('possible_duplicate_of' in (await send({ body: 'At one?' })), false)
  })
})

test('a list of recipients in one text is read as mailboxes, a comma in a name belonging to it', async () => {
  await send({ to: 'Sender, Amy <amy@sender.example>, bob@else.example' })
  const mail = await read()
  assert.deepEqual(
    mail.to?.map(({ name, address }) => [name, address]),
    [
      ['Sender, Amy', 'amy@sender.example'],
      ['', 'bob@else.example'],
    ],
  )
})
