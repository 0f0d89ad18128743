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

let database: TestDatabase
let desk: MailDesk

before(async () => {
  database = await startTestDatabase()
})

beforeEach(async () => {
  desk = await openMailDesk(database, { aliases: ['olga@alias.example'] })
})

after(() => database.close())

const answer = async (
  original: MessageInit | Uint8Array,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> => {
  const raw = original instanceof Uint8Array ? original : buildMessage(original)
  const message_id = await deliver(desk, raw)
  return desk.answer('email_compose', { action: 'reply', message_id, body: 'Yes.', ...args })
}
const refusal = async (
  original: MessageInit,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> => {
  const message_id = await deliver(desk, buildMessage(original))
  const call = { action: 'reply', message_id, body: 'Yes.', ...args }
  return errorOf(await desk.call('email_compose', call))
}
/** What was handed over last, as a parser that shares no code with ours reads it. */
const sent = async () => {
  const message = desk.bench.submissions.at(-1)?.message
  assert.ok(message)
  return { envelope: message.envelope, ...(await PostalMime.parse(message.octets)) }
}

describe('an answer', () => {
  test('check 130: stands in the conversation: ids in brackets, the chain kept, one marker before the subject', async () => {
    await answer({
      subject: 'RE: Aw: Plans',
      messageId: '<m9@sender.example>',
      headers: ['References: <m1@sender.example> <m5@home.example>', 'In-Reply-To: <m5@home.example>'],
    })
    const { inReplyTo, references, subject } = await sent()
    assert.equal(inReplyTo, '<m9@sender.example>')
    assert.deepEqual(references?.split(/\s+/), [
      '<m1@sender.example>',
      '<m5@home.example>',
      '<m9@sender.example>',
    ])
    assert.equal(subject, 'Re: Plans')
  })

  test('reaches the other side, and its subject and recipients are marked as a stranger\u2019s', async () => {
    const told = await answer({ subject: 'Plans' })
    assert.deepEqual(
      [told['outcome'], told['subject'], told['untrusted_content']],
      ['sent', 'Re: Plans', true],
    )
    assert.equal(desk.arrived().length, 1)
  })

  test('check 131: goes to the author of a list mail; two mailboxes in Reply-To are refused, and all are answered', async () => {
    await answer({
      from: 'Bob <bob@else.example>',
      to: 'team@list.example',
      headers: ['List-Id: <team.list.example>', 'Reply-To: team@list.example, bob@else.example'],
    })
    assert.deepEqual((await sent()).envelope.to, ['bob@else.example'])
    const two = { headers: ['Reply-To: a@else.example, b@else.example'] }
    const error = await refusal(two)
    assert.deepEqual(
      [error['error_code'], error['outcome'], (error['details'] as { count: number }).count],
      ['recipient_invalid', 'not_sent', 2],
    )
    await answer(two, { reply_all: true })
    assert.deepEqual((await sent()).envelope.to, ['a@else.example', 'b@else.example'])
  })

  test('check 132: to all leaves out the owner and aliases in any case, and names everyone once, To over Cc', async () => {
    await answer(
      {
        to: 'OWNER@home.example, Olga@Alias.Example, bob@else.example',
        headers: ['Cc: BOB@else.example, carl@else.example'],
      },
      { reply_all: true },
    )
    const { to, cc } = await sent()
    assert.deepEqual(
      to?.map(({ address }) => address),
      ['amy@sender.example', 'bob@else.example'],
    )
    assert.deepEqual(
      cc?.map(({ address }) => address),
      ['carl@else.example'],
    )
    await answer({ from: 'owner@home.example', to: 'bob@else.example' })
    assert.deepEqual((await sent()).envelope.to, ['bob@else.example'])
  })

  test('check 133: to a message that names nobody is not_sent before anything leaves', async () => {
    const error = await refusal({ from: '', to: '' })
    assert.deepEqual([error['error_code'], error['outcome']], ['recipient_invalid', 'not_sent'])
    assert.equal(desk.bench.submissions.length, 0)
  })

  test('check 134: takes cc, bcc and a subject of its own; to is refused, naming who takes it', async () => {
    const told = await answer({}, { cc: ['bob@else.example'], bcc: ['eve@else.example'], subject: 'Other' })
    const { subject, envelope } = await sent()
    assert.equal(subject, 'Other')
    assert.deepEqual(envelope.to, ['amy@sender.example', 'bob@else.example', 'eve@else.example'])
    assert.match((told['notes'] as string[]).join(), /conversation/)
    const error = await refusal({}, { to: ['x@else.example'] })
    assert.equal(error['error_code'], 'argument_not_allowed')
    assert.match(String(error['message']), /send, forward/)
  })

  test('check 135: in HTML quotes in a blockquote, in text with marks', async () => {
    const html = { contentType: 'text/html; charset=utf-8', body: '<p>Shall we <b>meet</b>?</p>' }
    await answer(html, { html_body: '<p>Yes.</p>' })
    const mail = await sent()
    assert.match(mail.html ?? '', /<p>Yes\.<\/p>.*<blockquote[^>]*>.*<b>meet<\/b>/s)
    assert.match(mail.text ?? '', /^Yes\.\s+On .* wrote:\s+> Shall we \*?meet\*?\?/s)
  })

  test('check 143: is from the identity that the original was addressed to', async () => {
    await answer({ to: 'olga@ALIAS.example' })
    assert.equal((await sent()).from?.address, 'olga@alias.example')
  })

  test('check 159: needs read:email beside send:email, and says so', async () => {
    const args = { action: 'reply', message_id: 'm_x', body: 'x' }
    const error = errorOf(await desk.call('email_compose', args, ['send:email']))
    assert.deepEqual((error['details'] as { missing_scopes: string[] }).missing_scopes, ['read:email'])
  })

  test('check 137: whose original cannot be fetched is source_unavailable, and nothing was sent', async () => {
    const message_id = await deliver(desk, buildMessage())
    const fault = new Fault('timeout', { public: 'Slow.' })
    desk.inbox.faults = { failingVerbs: new Map([['getMessages', fault]]) }
    const error = errorOf(await desk.call('email_compose', { action: 'reply', message_id, body: 'x' }))
    assert.deepEqual([error['error_code'], error['outcome']], ['source_unavailable', 'not_sent'])
  })

  test('an id that leads nowhere is message_not_found', async () => {
    const error = errorOf(await desk.call('email_compose', { action: 'reply', message_id: 'm_x', body: 'x' }))
    assert.deepEqual([error['error_code'], error['outcome']], ['message_not_found', 'not_sent'])
  })
})

test('who takes part in the conversation is told to the rules, and no draft adds anybody', async () => {
  desk.inbox.mailbox.append('Drafts', {
    raw: buildMessage({ to: 'planted@else.example', headers: ['In-Reply-To: <p1@sender.example>'] }),
    receivedAt: desk.bench.now,
    flags: { draft: true },
  })
  await answer({ messageId: '<p1@sender.example>', headers: ['Cc: carl@else.example'] })
  const people = (await desk.bench.submissions.at(-1)?.participants()) ?? []
  assert.deepEqual(
    ['amy@sender.example', 'carl@else.example', 'planted@else.example'].map((one) => people.includes(one)),
    [true, true, false],
  )
})

// In tags alone: as words anything may be quoted.
const acting =
  /<(?:script|svg|iframe|object|style)\b|<[a-z][^>]*\son\w+=|<[a-z][^>]*(?:src|href)="?\s*(?:javascript|data):|<img[^>]*\bsrc="?http/i

describe('whatever a stranger wrote, an answer to it is a plain message to whom it says', () => {
  for (const { name, octets, expected } of readHostileMail()) {
    test(`${name}: ${expected.why}`, async () => {
      const message_id = await deliver(desk, octets)
      const args = { action: 'reply', message_id, body: 'Yes.', html_body: '<p>Yes.</p>' }
      const result = await desk.call('email_compose', args)
      if (result.isError === true) {
        assert.equal(errorOf(result)['outcome'], 'not_sent')
        return
      }
      const { headers, html, text, envelope } = await sent()
      const known = 'message-id date from to cc subject in-reply-to references mime-version content-type'
      for (const { key } of headers)
        assert.ok(`${known} content-transfer-encoding`.split(' ').includes(key), key)
      assert.equal(new Set(headers.map(({ key }) => key)).size, headers.length)
      assert.doesNotMatch(html ?? '', acting)
      assert.equal(envelope.to.length, 1)
      for (const words of expected.body?.lacks ?? []) assert.ok(!(text ?? '').includes(words), words)
    })
  }
})
