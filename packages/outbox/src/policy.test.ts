import assert from 'node:assert/strict'
import test from 'node:test'
import { Fault } from '@postern/core'
import type { ComposedMessage, Identity } from '@postern/mail'
import { mailbox, mailboxes, makeLetter, makeOriginal, making, now } from '../test/build.ts'
import { chooseIdentity } from './choose-identity.ts'
import { compose } from './compose.ts'
import { checkSend, type SendPolicy, type SendRequest } from './policy.ts'
import type { SendLookups } from './send-lookups.ts'
import type { RecipientRule } from './recipient-rule.ts'

const identities: readonly Identity[] = [
  { email: 'owner@home.example', name: 'Olga Owner', isPrimary: true },
  { email: 'Alias@home.example', name: null, isPrimary: false },
]

const lookups: SendLookups = {
  isKnownCorrespondent: (email) => Promise.resolve(email === 'known@x.example'),
  takeSend: (_since, cap) => Promise.resolve(cap > 0),
}

async function message(...to: readonly string[]): Promise<ComposedMessage> {
  return compose(makeLetter({ to: [], bcc: mailboxes(...to) }), making())
}

function request(composed: ComposedMessage, parts: Partial<SendRequest> = {}): SendRequest {
  return { message: composed, identities, participants: [], now, ...parts }
}

function policy(...rules: readonly RecipientRule[]): SendPolicy {
  return { rules, sendsPerDay: null, needsApproval: false }
}

async function verdict(rule: RecipientRule, to: string, parts: Partial<SendRequest> = {}): Promise<string> {
  return codeOf(checkSend(request(await message(to), parts), policy(rule), lookups))
}

async function codeOf(check: Promise<void>): Promise<string> {
  try {
    await check
    return 'allowed'
  } catch (error) {
    assert.ok(error instanceof Fault)
    return error.code
  }
}

test('each rule allows whom it names and nobody else', async () => {
  const refused = 'recipient_not_allowed'
  const list: RecipientRule = { kind: 'list', entries: ['Amy@X.example', '@acme.example'] }
  const participants = ['AMY@x.example']
  for (const [rule, to, expected] of [
    [{ kind: 'anyone' }, 'a@x.example', 'allowed'],
    [{ kind: 'same_domain' }, 'a@HOME.example', 'allowed'],
    [{ kind: 'same_domain' }, 'a@sub.home.example', refused],
    [{ kind: 'same_domain' }, 'a@nothome.example', refused],
    [{ kind: 'known_correspondents' }, 'known@x.example', 'allowed'],
    [{ kind: 'known_correspondents' }, 'a@x.example', refused],
    [{ kind: 'thread_participants' }, 'amy@x.example', 'allowed'],
    [{ kind: 'thread_participants' }, 'bob@x.example', refused],
    [list, 'amy@x.example', 'allowed'],
    [list, 'bob@x.example', refused],
    [list, 'bob@acme.example', 'allowed'],
    [list, 'bob@sub.acme.example', refused],
    [list, 'bob@notacme.example', refused],
  ] as const)
    assert.equal(await verdict(rule, to, { participants }), expected, `${rule.kind} ${to}`)
})

test('an empty list denies everyone, and so does no rule at all (check 127)', async () => {
  assert.equal(await verdict({ kind: 'list', entries: [] }, 'owner@home.example'), 'recipient_not_allowed')
  const composed = await message('a@x.example')
  assert.equal(await codeOf(checkSend(request(composed), policy(), lookups)), 'recipient_not_allowed')
})

test('one recipient who is not allowed stops the message, wherever he is named (check 127)', async () => {
  const rule = policy({ kind: 'list', entries: ['@ok.example'] })
  for (const field of ['to', 'cc', 'bcc'] as const) {
    const letter = makeLetter({
      to: mailboxes('a@ok.example'),
      [field]: mailboxes('b@ok.example', 'c@bad.example'),
    })
    const composed = await compose(letter, making())
    await assert.rejects(checkSend(request(composed), rule, lookups), (error) => {
      assert.ok(error instanceof Fault)
      assert.equal(error.code, 'recipient_not_allowed')
      assert.deepEqual(error.details, { rule: 'list', field, position: 2 })
      assert.doesNotMatch(error.public, /@/)
      return true
    })
  }
})

test('every one of several rules must allow', async () => {
  const both = policy({ kind: 'anyone' }, { kind: 'same_domain' })
  assert.equal(
    await codeOf(checkSend(request(await message('a@x.example')), both, lookups)),
    'recipient_not_allowed',
  )
  assert.equal(await codeOf(checkSend(request(await message('a@home.example')), both, lookups)), 'allowed')
})

test('the final envelope decides, and one that its header does not name is not sent (check 127)', async () => {
  const composed = await message('a@home.example')
  const anyone = policy({ kind: 'anyone' })
  for (const envelope of [
    { from: 'owner@home.example', to: ['a@home.example', 'b@x.example'] },
    { from: 'owner@home.example', to: [] },
    { from: 'alias@home.example', to: ['a@home.example'] },
  ]) {
    const tampered = { ...composed, envelope }
    assert.equal(await codeOf(checkSend(request(tampered), anyone, lookups)), 'compose_failed')
  }
})

test('an unverified sender is refused with the identities that are (check 144)', async () => {
  const composed = await compose(makeLetter({ from: mailbox('boss@home.example') }), making())
  await assert.rejects(
    checkSend(request(composed), policy({ kind: 'anyone' }), lookups),
    (error) =>
      error instanceof Fault &&
      error.code === 'sender_not_allowed' &&
      error.public.includes('owner@home.example, Alias@home.example'),
  )
  assert.throws(
    () => chooseIdentity(identities, 'Boss <boss@home.example>'),
    (error) => error instanceof Fault && error.code === 'sender_not_allowed',
  )
})

test('nobody is shown as author or sender who is not verified, in no field that a reader may read (check 144)', async () => {
  const composed = await message('a@home.example')
  const withFields = (fields: string): ComposedMessage => ({
    ...composed,
    octets: Buffer.concat([Buffer.from(fields), composed.octets]),
  })
  for (const [fields, expected] of [
    ['Sender: Alias@home.example\r\n', 'allowed'],
    ['Sender: Boss <boss@big.example>\r\n', 'sender_not_allowed'],
    ['Sender: alias@home.example\r\nSender: boss@big.example\r\n', 'sender_not_allowed'],
    ['From: owner@home.example\r\n', 'compose_failed'],
    ['X:\r\n'.repeat(10_000), 'compose_failed'],
  ] as const) {
    const check = checkSend(request(withFields(fields)), policy({ kind: 'anyone' }), lookups)
    assert.equal(await codeOf(check), expected, fields.slice(0, 60))
  }
})

test('without a from the primary identity writes, and an answer comes from the one that was addressed (check 143)', () => {
  assert.deepEqual(chooseIdentity(identities, null), { name: 'Olga Owner', email: 'owner@home.example' })
  const addressed = makeOriginal({ To: 'x@x.example', Cc: 'ALIAS@home.example' })
  assert.equal(chooseIdentity(identities, null, addressed).email, 'Alias@home.example')
  assert.equal(
    chooseIdentity(identities, null, makeOriginal({ To: 'x@x.example' })).email,
    'owner@home.example',
  )
  assert.equal(chooseIdentity(identities, 'alias@HOME.example', makeOriginal()).email, 'Alias@home.example')
})

test('the cap of a day counts from midnight UTC and says when it starts again', async () => {
  const composed = await message('a@x.example')
  const capped: SendPolicy = { rules: [{ kind: 'anyone' }], sendsPerDay: 3, needsApproval: false }
  let since: Date | null = null
  const counting = (count: number): SendLookups => ({
    ...lookups,
    takeSend: (from, cap) => {
      since = from
      return Promise.resolve(count < cap)
    },
  })
  assert.equal(await codeOf(checkSend(request(composed), capped, counting(2))), 'allowed')
  await assert.rejects(checkSend(request(composed), capped, counting(3)), (error) => {
    assert.ok(error instanceof Fault)
    assert.equal(error.code, 'send_cap_reached')
    assert.deepEqual(error.details, { cap: 3, reset_at: '2026-11-17T00:00:00.000Z' })
    assert.equal(error.retryAfterSeconds, 15 * 3_600)
    return true
  })
  assert.deepEqual(since, new Date('2026-11-16T00:00:00Z'))
  const none: SendPolicy = { rules: [{ kind: 'anyone' }], sendsPerDay: 0, needsApproval: false }
  assert.equal(await codeOf(checkSend(request(composed), none, lookups)), 'send_cap_reached')
})
