import { matchMessage, parseMime, type Criterion, type Matchable } from '@postern/mail'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planSearch } from './plan-search.ts'

const noon: Criterion = { kind: 'text', field: 'body', value: 'noon' }
const amy: Criterion = { kind: 'text', field: 'from', value: 'amy' }
const wide: Criterion = { kind: 'text', field: 'subject', value: '\u4f1a\u8bae' }
const wideBody: Criterion = { kind: 'text', field: 'text', value: '\u4f1a\u8bae' }
const file: Criterion = { kind: 'attachment' }
const since: Criterion = { kind: 'since', at: new Date('2026-05-04T15:00:00Z') }
const before: Criterion = { kind: 'before', at: new Date('2026-05-06T15:00:00Z') }
const inbox: Criterion = { kind: 'folder', folderId: 'INBOX' }

const and = (...of: Criterion[]): Criterion => ({ kind: 'and', of })
const or = (...of: Criterion[]): Criterion => ({ kind: 'or', of })
const not = (of: Criterion): Criterion => ({ kind: 'not', of })

test('what a server can decide is left to it alone', () => {
  const plan = planSearch(and(amy, not(noon)), 'INBOX', false)
  assert.deepEqual(plan.candidates, and(amy, not(noon)))
  assert.equal(plan.residual, null)
})

test('a folder where nothing can match is not searched', () => {
  assert.deepEqual(planSearch(and(inbox, amy), 'Sent', false).candidates, { kind: 'none' })
  assert.deepEqual(planSearch(and(inbox, amy), 'INBOX', false).candidates, amy)
})

test('check 73: dates are asked for a day wider each way, and only the border days are in doubt', () => {
  const plan = planSearch(and(amy, since, before), 'INBOX', false)
  assert.deepEqual(plan.candidates, and(amy, at('since', '2026-05-03'), at('before', '2026-05-08')))
  assert.deepEqual(plan.residual, and(since, before))
  assert.deepEqual(
    plan.doubtful,
    and(
      at('since', '2026-05-03'),
      at('before', '2026-05-08'),
      not(and(at('since', '2026-05-06'), at('before', '2026-05-05'))),
    ),
  )
  assert.deepEqual(plan.needs, { structure: false, headers: false })
})

test('attachments are looked for among the candidates of everything else', () => {
  const plan = planSearch(and(amy, file), 'INBOX', false)
  assert.deepEqual([plan.candidates, plan.residual, plan.doubtful], [amy, and(file), null])
  assert.deepEqual(plan.needs, { structure: true, headers: false })
})

test('a part of an alternative that only the server can decide is asked for by itself', () => {
  const plan = planSearch(and(amy, or(file, noon)), 'INBOX', false)
  assert.deepEqual(plan.candidates, amy)
  assert.deepEqual(plan.subqueries, [noon])
  assert.deepEqual(plan.doubtful, not(noon))
})

test('BADCHARSET: header text is compared here, body text counts as not found and is reported', () => {
  const headers = planSearch(and(amy, wide), 'INBOX', true)
  assert.deepEqual([headers.candidates, headers.residual], [amy, and(wide)])
  assert.deepEqual([headers.needs.headers, headers.isCharsetDegraded], [true, false])

  const body = planSearch(or(amy, wideBody), 'INBOX', true)
  assert.deepEqual([body.candidates, body.residual, body.isCharsetDegraded], [amy, null, true])
  assert.deepEqual(planSearch(not(wideBody), 'INBOX', true).candidates, { kind: 'none' })
  assert.equal(planSearch(wideBody, 'INBOX', false).isCharsetDegraded, false)
})

function at(kind: 'since' | 'before', date: string): Criterion {
  return { kind, at: new Date(`${date}T00:00:00Z`) }
}

/** A server that dates messages in a zone of its own and compares whole days, as RFC 3501 6.4.4 has it. */
function serverMatches(criterion: Criterion, message: Matchable, zoneHours: number): boolean {
  if (criterion.kind === 'and') return criterion.of.every((part) => serverMatches(part, message, zoneHours))
  if (criterion.kind === 'or') return criterion.of.some((part) => serverMatches(part, message, zoneHours))
  if (criterion.kind === 'not') return !serverMatches(criterion.of, message, zoneHours)
  assert.ok(criterion.kind !== 'attachment' && criterion.kind !== 'filename' && criterion.kind !== 'folder')
  if (criterion.kind !== 'since' && criterion.kind !== 'before') return matchMessage(criterion, message, [])
  assert.equal(criterion.at.getTime() % 86_400_000, 0, 'a server is asked for whole days')
  const day = Math.floor((message.receivedAt.getTime() + zoneHours * 3_600_000) / 86_400_000) * 86_400_000
  return criterion.kind === 'since' ? day >= criterion.at.getTime() : day < criterion.at.getTime()
}

/** Deterministic pseudo-random integers below `bound` (mulberry32). */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * bound)
  }
}

const start = Date.UTC(2026, 4, 1)

function randomCriterion(random: (bound: number) => number, depth: number): Criterion {
  const instant = new Date(start + random(10 * 48) * 1_800_000)
  const leaves: readonly Criterion[] = [
    { kind: 'since', at: instant },
    { kind: 'before', at: instant },
    file,
    { kind: 'filename', value: 'a' },
    amy,
    noon,
    { kind: 'flag', flag: 'seen', isSet: random(2) === 0 },
    inbox,
    { kind: 'all' },
    { kind: 'none' },
  ]
  const kind = depth === 0 ? 3 : random(5)
  const several = (): Criterion[] =>
    Array.from({ length: 1 + random(3) }, () => randomCriterion(random, depth - 1))
  if (kind === 0) return and(...several())
  if (kind === 1) return or(...several())
  if (kind === 2) return not(randomCriterion(random, depth - 1))
  return leaves[random(leaves.length)] ?? file
}

function randomMessage(random: (bound: number) => number): Matchable {
  const disposition = random(2) === 0 ? 'Content-Disposition: attachment; filename="a.bin"\r\n' : ''
  const raw = `From: ${random(2) === 0 ? 'amy' : 'bob'}@x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${
    random(2) === 0 ? 'noon' : 'night'
  }\r\n--b\r\nContent-Type: text/x-b\r\n${disposition}\r\nx\r\n--b--\r\n`
  return {
    ...parseMime(Buffer.from(raw)),
    folderId: 'INBOX',
    labels: [],
    flags: { seen: random(2) === 0, answered: false, flagged: false, draft: false },
    receivedAt: new Date(start + random(10 * 48) * 1_800_000 + random(2)),
    sizeBytes: raw.length,
  }
}

test('server and local checks together decide exactly as the criterion, whatever zone the server dates in', () => {
  for (let seed = 1; seed <= 4_000; seed++) {
    const random = randomFrom(seed)
    const criterion = randomCriterion(random, 3)
    const plan = planSearch(criterion, 'INBOX', false)
    for (let index = 0; index < 6; index++) {
      const message = randomMessage(random)
      const zoneHours = random(27) - 12
      const asks = (part: Criterion): boolean => serverMatches(part, message, zoneHours)
      const isDoubtful = plan.residual !== null && (plan.doubtful === null || asks(plan.doubtful))
      const isFound =
        asks(plan.candidates) &&
        (!isDoubtful || plan.residual === null || matchMessage(plan.residual, message, []))
      assert.equal(isFound, matchMessage(criterion, message, []), `seed ${String(seed)}`)
    }
  }
})
