import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { describe, test } from 'node:test'
import { countOnce, joinThread, type JoinedThread } from './join-thread.ts'
import type { Message } from './message.ts'
import { readThreadMember, type ThreadMember } from './thread-member.ts'

const start = Date.UTC(2026, 4, 4)
const hour = 3_600_000
const own = new Set(['me@home.example'])

interface Draft {
  /** `<id@x>`; empty for none. */
  readonly id: string
  readonly refs?: readonly string[]
  readonly inReplyTo?: string
  readonly subject?: string
  readonly from?: string
  readonly to?: string
  /** Hours after the start. */
  readonly at?: number
  readonly folder?: string
  readonly size?: number
}

let made = 0

function member(draft: Draft): ThreadMember {
  made += 1
  const at = start + (draft.at ?? 0) * hour
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['From', draft.from ?? 'amy@x.example'],
    ['To', draft.to ?? 'me@home.example'],
    ['Subject', draft.subject ?? 'Plan'],
    ['Date', new Date(at).toUTCString()],
    ['Message-ID', draft.id === '' ? undefined : `<${draft.id}@x>`],
    ['References', draft.refs?.map((id) => `<${id}@x>`).join(' ')],
    ['In-Reply-To', draft.inReplyTo === undefined ? undefined : `<${draft.inReplyTo}@x>`],
  ]
  const message: Message = {
    ref: { locator: Uint8Array.of(made) },
    folderId: draft.folder ?? 'INBOX',
    folderName: null,
    labels: [],
    flags: { seen: true, answered: false, flagged: false, draft: false },
    receivedAt: new Date(at),
    sizeBytes: draft.size ?? 100,
    nativeThreadId: null,
    headers: fields.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }])),
    tree: null,
    preview: null,
  }
  return readThreadMember(message, own)
}

/** Ids of the conversation of the message with this id, oldest first. */
function joined(drafts: readonly Draft[], seed: string): { ids: readonly string[]; whole: JoinedThread } {
  const members = drafts.map(member)
  const asked = members.find(({ messageId }) => messageId === `<${seed}@x>`) ?? assert.fail('no seed')
  const whole = joinThread(members, asked)
  return { ids: whole.members.map(({ messageId }) => messageId?.slice(1, -3) ?? ''), whole }
}

describe('joining by headers', () => {
  test('every message of a conversation leads to all of it, whatever came in between', () => {
    const drafts = [
      { id: 'a' },
      { id: 'b', refs: ['a'], at: 1 },
      { id: 'c', refs: ['a', 'gone'], at: 2 },
      { id: 'd', inReplyTo: 'b', at: 3 },
      { id: 'other', at: 4 },
    ]
    for (const seed of ['a', 'b', 'c', 'd'])
      assert.deepEqual(joined(drafts, seed).ids, ['a', 'b', 'c', 'd'], seed)
    assert.deepEqual(joined(drafts, 'other').ids, ['other'])
  })

  test('answers to a message that is not there belong together', () => {
    const drafts = [
      { id: 'b', refs: ['gone', 'lost'], at: 1 },
      { id: 'c', inReplyTo: 'lost', at: 2 },
      { id: 'd', refs: ['gone'], at: 3 },
    ]
    assert.deepEqual(joined(drafts, 'c').ids, ['b', 'c', 'd'])
  })

  test('check 102: a subject that a list rewrote, or somebody changed, does not part a conversation', () => {
    const drafts = [
      { id: 'a', subject: 'Plan' },
      { id: 'b', subject: '[list] Re: Plan', refs: ['a'], at: 1 },
      { id: 'c', subject: 'Something else entirely', refs: ['a', 'b'], at: 2 },
    ]
    assert.deepEqual(joined(drafts, 'a').ids, ['a', 'b', 'c'])
  })

  test('an answer that names two conversations belongs to one of them and joins neither to the other', () => {
    const drafts = [
      { id: 'a' },
      { id: 'b', subject: 'Salaries', at: 1 },
      { id: 'b2', refs: ['b'], subject: 'Re: Salaries', at: 2 },
      { id: 'evil', refs: ['b', 'b2', 'a'], from: 'evil@x.example', at: 3 },
    ]
    assert.deepEqual(joined(drafts, 'a').ids, ['a', 'evil'])
    assert.deepEqual(joined(drafts, 'b').ids, ['b', 'b2'])
  })

  test('a later message under a known id neither hides the first nor speaks for it', () => {
    const drafts = [
      { id: 'a' },
      { id: 'b', subject: 'Salaries', at: 1 },
      { id: 'b', subject: 'Salaries', refs: ['a'], from: 'evil@x.example', at: 2 },
    ]
    assert.deepEqual(joined(drafts, 'a').ids, ['a', 'b'])
    const { whole } = joined(drafts, 'b')
    assert.deepEqual(
      whole.members.map(({ message }) => message.receivedAt.getTime()),
      [start + hour],
    )
  })

  test('loops and messages that answer themselves come to an end', () => {
    const drafts = [
      { id: 'a', refs: ['c'] },
      { id: 'b', refs: ['a'], at: 1 },
      { id: 'c', refs: ['b', 'c'], at: 2 },
      { id: 'd', refs: ['d'], inReplyTo: 'd', at: 3 },
    ]
    assert.deepEqual(joined(drafts, 'b').ids, ['a', 'b', 'c'])
    assert.deepEqual(joined(drafts, 'd').ids, ['d'])
  })

  test('a thousand messages with the longest chains, each going on where the last ended, take no time', () => {
    const drafts = Array.from({ length: 1_000 }, (_, n) => ({
      id: `m${n}`,
      refs: Array.from({ length: 80 }, (_, k) => `r${n * 79 + k}`),
      subject: 'Re: x',
      at: n / 60,
    }))
    const members = drafts.map(member)
    const begun = performance.now()
    const [first] = members
    assert.ok(first)
    assert.equal(joinThread(members, first).members.length, 1_000)
    assert.ok(performance.now() - begun < 2_000)
  })
})

describe('joining by subject', () => {
  test('check 102: mails without headers that use one subject again are separate', () => {
    const drafts = [
      { id: 'a', subject: 'Hello' },
      { id: 'b', subject: 'Hello', at: 1 },
      { id: 'c', subject: '[list] Hello', at: 2 },
    ]
    for (const { id } of drafts) assert.deepEqual(joined(drafts, id).ids, [id])
  })

  test('an answer without headers is below the last mail with its subject and a participant in common', () => {
    const drafts = [
      { id: 'a', subject: 'Hello' },
      { id: 'b', subject: 'Hello', at: 1 },
      { id: 'bob', subject: 'Hello', from: 'bob@x.example', at: 2 },
      { id: 're', subject: 'RE: Hello', at: 3 },
      { id: 'late', refs: ['re'], subject: 'Re: Hello', at: 4 },
    ]
    assert.deepEqual(joined(drafts, 'a').ids, ['a'])
    assert.deepEqual(joined(drafts, 'late').ids, ['b', 're', 'late'])
    assert.deepEqual(joined(drafts, 'bob').ids, ['bob'])
  })

  test('the owner, who takes part in everything, connects nothing', () => {
    const drafts = [
      { id: 'a', subject: 'Hello', from: 'bob@x.example' },
      { id: 're', subject: 'Re: Hello', from: 'eve@x.example', at: 1 },
    ]
    assert.deepEqual(joined(drafts, 're').ids, ['re'])
    const answered = [
      { id: 'a', subject: 'Hello', from: 'bob@x.example' },
      { id: 're', subject: 'Re: Hello', from: 'me@home.example', to: 'BOB@x.example', at: 1 },
    ]
    assert.deepEqual(joined(answered, 're').ids, ['a', 're'])
  })

  test('after 30 days, and of an empty subject, nothing is an answer', () => {
    const drafts = (hours: number): Draft[] => [
      { id: 'a', subject: 'Hello' },
      { id: 're', subject: 'Re: Hello', at: hours },
    ]
    assert.deepEqual(joined(drafts(30 * 24), 'a').ids, ['a', 're'])
    assert.deepEqual(joined(drafts(30 * 24 + 1), 'a').ids, ['a'])
    assert.deepEqual(
      joined(
        [
          { id: 'a', subject: '' },
          { id: 'b', subject: 'Re:', at: 1 },
        ],
        'b',
      ).ids,
      ['b'],
    )
  })

  test('an answer that has a header is never placed by its subject', () => {
    const drafts = [
      { id: 'a', subject: 'Hello' },
      { id: 're', subject: 'Re: Hello', refs: ['elsewhere'], at: 1 },
    ]
    assert.deepEqual(joined(drafts, 'a').ids, ['a'])
  })
})

describe('copies', () => {
  test('of one message in several folders count once: the one received first stays', () => {
    const drafts = [
      { id: 'a', subject: 'Plan', folder: 'Sent', from: 'me@home.example', to: 'list@x.example' },
      {
        id: 'a',
        subject: '[list] Plan',
        folder: 'INBOX',
        from: 'me@home.example',
        to: 'list@x.example',
        size: 300,
      },
      { id: 'b', refs: ['a'], at: 1, folder: 'Work' },
      { id: 'b', refs: ['a'], at: 1, folder: 'All Mail' },
    ]
    const { whole } = joined(drafts, 'b')
    assert.deepEqual(
      whole.members.map(({ message }) => message.folderId),
      ['Sent', 'Work'],
    )
  })

  test('that were stored twice in one folder count once; of another size they are two messages', () => {
    assert.equal(joined([{ id: 'a' }, { id: 'a' }], 'a').ids.length, 1)
    assert.equal(joined([{ id: 'a' }, { id: 'a', size: 101 }], 'a').ids.length, 2)
    assert.equal(joined([{ id: 'a' }, { id: 'a', from: 'eve@x.example', folder: 'Work' }], 'a').ids.length, 2)
  })

  test('without a Message-ID only what is equal in sender, date, subject and size is one', () => {
    const twins = [member({ id: '' }), member({ id: '', folder: 'Work' })]
    const others = [member({ id: '' }), member({ id: '', size: 7, folder: 'Work' })]
    assert.equal(countOnce(twins, null).length, 1)
    assert.equal(countOnce(others, null).length, 2)
  })

  test('of equal ones the copy that was asked for stays', () => {
    const [first, second] = [member({ id: 'a' }), member({ id: 'a', folder: 'Work' })]
    assert.deepEqual(countOnce([first, second], second), [second])
    assert.deepEqual(countOnce([first, second], null), [first])
  })
})

test('what is to be asked further: every id of the conversation, and where its chains begin', () => {
  const { whole } = joined(
    [
      { id: 'b', refs: ['gone', 'a'], subject: 'Re: Plan', at: 1 },
      { id: 'c', inReplyTo: 'b', subject: 'Other', at: 2 },
    ],
    'c',
  )
  assert.deepEqual(whole.ids.toSorted(), ['<a@x>', '<b@x>', '<c@x>', '<gone@x>'])
  assert.deepEqual(whole.heads.toSorted(), ['<b@x>', '<gone@x>'])
  assert.deepEqual(whole.subjects.toSorted(), ['Other', 'Plan'])
})
