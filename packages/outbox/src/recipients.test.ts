import assert from 'node:assert/strict'
import test from 'node:test'
import { Fault } from '@postern/core'
import { makeOriginal } from '../test/build.ts'
import { replyRecipients } from './recipients.ts'

const own = ['owner@home.example', 'Alias@home.example']

function answer(values: Readonly<Record<string, string>>, isReplyAll = false) {
  const { to, cc, skipped } = replyRecipients(makeOriginal(values), own, isReplyAll)
  return { to: to.map(({ email }) => email).join(' '), cc: cc.map(({ email }) => email).join(' '), skipped }
}

function refusal(values: Readonly<Record<string, string>>, isReplyAll = false): Fault {
  try {
    answer(values, isReplyAll)
  } catch (error) {
    assert.ok(error instanceof Fault)
    return error
  }
  return assert.fail('not refused')
}

test('an answer goes to Reply-To, else to From, else of several authors to Sender', () => {
  assert.equal(answer({}).to, 'amy@sender.example')
  assert.equal(answer({ 'Reply-To': 'Desk <desk@x.example>' }).to, 'desk@x.example')
  assert.equal(answer({ From: 'a@x.example, b@x.example', Sender: 'b@x.example' }).to, 'b@x.example')
  assert.equal(answer({ 'Reply-To': 'not an address' }).to, 'amy@sender.example')
})

test('several addresses in Reply-To are refused with their count, but for an answer to all (check 131)', () => {
  const values = { 'Reply-To': 'a@x.example, b@x.example' }
  const fault = refusal(values)
  assert.equal(fault.code, 'recipient_invalid')
  assert.equal(fault.details['count'], 2)
  assert.doesNotMatch(fault.public, /x\.example/)
  assert.equal(answer(values, true).to, 'a@x.example b@x.example')
})

test('list mail is answered to its author when Reply-To names one beside the list (check 131)', () => {
  const list = { 'List-Id': 'Talk <talk.lists.example>', To: 'talk@lists.example' }
  const both = 'Jane <jane@x.example>, Talk <talk@lists.example>'
  assert.equal(
    answer({ ...list, From: 'Jane via Talk <talk@lists.example>', 'Reply-To': both }).to,
    'jane@x.example',
  )
  assert.equal(answer({ ...list, To: 'owner@home.example', 'Reply-To': both }).to, 'jane@x.example')
  assert.equal(answer({ ...list, 'Reply-To': 'talk@lists.example' }).to, 'talk@lists.example')
  assert.equal(refusal({ ...list, 'Reply-To': `${both}, other@y.example` }).details['count'], 3)
  assert.equal(refusal({ 'Reply-To': both }).details['count'], 2)
})

test('an answer to all drops the owner in any case and keeps everyone once, To over Cc (check 132)', () => {
  const values = {
    To: 'OWNER@home.example, b@x.example, B@X.example, amy@sender.example',
    Cc: 'alias@HOME.example, c@x.example, b@x.example, C@x.example',
  }
  assert.deepEqual(answer(values, true), {
    to: 'amy@sender.example b@x.example',
    cc: 'c@x.example',
    skipped: 0,
  })
  assert.deepEqual(answer(values), { to: 'amy@sender.example', cc: '', skipped: 0 })
})

test("an answer to one's own message goes to those it went to (check 132)", () => {
  const sent = { From: 'Owner <ALIAS@home.example>', To: 'b@x.example, c@x.example', Cc: 'd@x.example' }
  assert.deepEqual(answer(sent), { to: 'b@x.example c@x.example', cc: '', skipped: 0 })
  assert.deepEqual(answer(sent, true), { to: 'b@x.example c@x.example', cc: 'd@x.example', skipped: 0 })
  assert.equal(answer({ From: 'owner@home.example', To: 'owner@home.example' }).to, 'owner@home.example')
})

test("a form that writes in the owner's name to the owner is answered to who filled it in", () => {
  const form = { From: 'owner@home.example', To: 'owner@home.example', 'Reply-To': 'guest@x.example' }
  assert.equal(answer(form).to, 'guest@x.example')
})

test('a message without any address is not answered (check 133)', () => {
  const fault = refusal({ From: '', To: '', Cc: '' })
  assert.equal(fault.code, 'recipient_invalid')
  assert.match(fault.public, /Nothing was sent/)
  assert.equal(refusal({ From: 'MAILER-DAEMON', To: 'undisclosed-recipients:;' }).code, 'recipient_invalid')
})

test('what is no strict address is left out of an answer to all, and counted', () => {
  const values = {
    To: 'b@x.example, "x@gmail.com x"@internal.example',
    Cc: 'nobody, c@[10.0.0.1], d@x.example',
  }
  assert.deepEqual(answer(values, true), {
    to: 'amy@sender.example b@x.example',
    cc: 'd@x.example',
    skipped: 3,
  })
})

test('an answer to more than fifty is refused', () => {
  const many = Array.from({ length: 50 }, (_, index) => `a${index}@x.example`).join(', ')
  assert.equal(refusal({ Cc: many }, true).code, 'too_many_recipients')
  assert.equal(answer({ Cc: many }).to, 'amy@sender.example')
})

test("a stranger's name goes on in one clean line", () => {
  const name = '=?utf-8?q?Amy=0D=0ABcc=3A_x=40y.example_=E2=80=AE?='
  const [mailbox] = replyRecipients(makeOriginal({ From: `${name} <amy@x.example>` }), own, false).to
  assert.equal(mailbox?.name, 'Amy Bcc: x@y.example')
})
