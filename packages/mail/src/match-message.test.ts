import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchMessage, type Matchable } from './match-message.ts'
import { parseMime } from './parse-mime.ts'
import type { Criterion } from './search-query.ts'
import { rawText } from './text.ts'

function message(lines: readonly string[], facts: Partial<Matchable> = {}): Matchable {
  const raw = Buffer.from(lines.join('\r\n'), 'utf8')
  return {
    ...parseMime(raw),
    folderId: 'INBOX',
    labels: [rawText('Urgent')],
    flags: { seen: true, answered: false, flagged: false, draft: false },
    receivedAt: new Date('2026-05-04T08:00:00Z'),
    sizeBytes: raw.length,
    ...facts,
  }
}

const mail = message([
  'From: =?iso-8859-1?Q?J=FCrgen?= <jm@x.example>',
  'To: "Doe, Jane" <jane@x.example>',
  'Subject: Die STRASSE nach',
  ' Rom',
  'Message-ID: <one@x.example>',
  'List-Id: Team <team.x.example>',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=C3=BC=C3=9Fe aus=',
  ' Z=C3=BCrich',
  '--b',
  'Content-Type: application/pdf',
  'Content-Disposition: attachment; filename="B\u00fccher.pdf"',
  '',
  'x',
  '--b--',
])

const text = (field: Extract<Criterion, { kind: 'text' }>['field'], value: string): boolean =>
  matchMessage({ kind: 'text', field, value }, mail, [])

test('text is found decoded, without regard to case, composition and line ends', () => {
  assert.ok(text('from', 'J\u00dcRGEN'))
  assert.ok(text('from', 'ju\u0308rgen <JM@x.example>'))
  assert.ok(text('to', 'doe, jane'))
  assert.ok(text('subject', 'stra\u00dfe nach rom'))
  assert.ok(text('body', 'gr\u00fcsse aus z\u00fcrich'))
  assert.ok(text('text', 'team.x.example'))
  assert.ok(text('text', 'Z\u00fcrich'))
})

test('a fragment never matches across fields, and a field never answers for another', () => {
  assert.ok(!text('subject', 'Z\u00fcrich'))
  assert.ok(!text('from', 'jane'))
  assert.ok(!text('body', 'team.x.example'))
  assert.ok(!text('text', 'jm@x.example "Doe'))
  assert.ok(!text('cc', 'jane'))
})

test('check 80: nothing in a fragment is a wildcard', () => {
  for (const value of ['stra%e', 'Die_STRASSE', 'Die*Rom', 'D.e', '.*'])
    assert.ok(!text('subject', value), value)
})

test('attachments and their names are read from the tree', () => {
  assert.ok(matchMessage({ kind: 'attachment' }, mail, []))
  assert.ok(matchMessage({ kind: 'filename', value: 'b\u00dcCHER' }, mail, []))
  assert.ok(!matchMessage({ kind: 'filename', value: 'xls' }, mail, []))
  assert.ok(!matchMessage({ kind: 'attachment' }, message(['Subject: x', '', 'y']), []))
})

test('what is not known satisfies nothing', () => {
  const unknown = { ...mail, tree: null, sizeBytes: null }
  const asked: readonly Criterion[] = [
    { kind: 'attachment' },
    { kind: 'filename', value: 'pdf' },
    { kind: 'larger', bytes: 0 },
    { kind: 'smaller', bytes: 1e9 },
    { kind: 'text', field: 'body', value: 'a' },
  ]
  for (const criterion of asked) assert.ok(!matchMessage(criterion, unknown, []), criterion.kind)
})

test('facts are compared exactly: since is inclusive, before exclusive, sizes strict', () => {
  const at = mail.receivedAt
  const size = mail.sizeBytes ?? 0
  const facts: readonly (readonly [Criterion, boolean])[] = [
    [{ kind: 'since', at }, true],
    [{ kind: 'before', at }, false],
    [{ kind: 'since', at: new Date(at.getTime() + 1) }, false],
    [{ kind: 'before', at: new Date(at.getTime() + 1) }, true],
    [{ kind: 'larger', bytes: size }, false],
    [{ kind: 'larger', bytes: size - 1 }, true],
    [{ kind: 'smaller', bytes: size }, false],
    [{ kind: 'smaller', bytes: size + 1 }, true],
    [{ kind: 'flag', flag: 'seen', isSet: true }, true],
    [{ kind: 'flag', flag: 'flagged', isSet: true }, false],
    [{ kind: 'flag', flag: 'answered', isSet: false }, true],
    [{ kind: 'keyword', keyword: 'urgent' }, true],
    [{ kind: 'keyword', keyword: 'urg' }, false],
    [{ kind: 'folder', folderId: 'INBOX' }, true],
    [{ kind: 'folder', folderId: 'inbox' }, false],
    [{ kind: 'header', name: 'message-id', value: 'one@x.example' }, true],
    [{ kind: 'header', name: 'list-id', value: 'TEAM' }, true],
    [{ kind: 'header', name: 'delivered-to', value: 'x' }, false],
  ]
  for (const [criterion, expected] of facts) {
    assert.equal(matchMessage(criterion, mail, []), expected, JSON.stringify(criterion))
  }
})

test('from:me is any address of the owner, and nobody when none is known', () => {
  const owner: Criterion = { kind: 'owner', field: 'from' }
  assert.ok(matchMessage(owner, mail, ['other@x.example', 'JM@X.EXAMPLE']))
  assert.ok(!matchMessage(owner, mail, ['jane@x.example']))
  assert.ok(!matchMessage(owner, mail, []))
})

test('and, or, not, all and none combine as in logic', () => {
  const yes: Criterion = { kind: 'all' }
  const no: Criterion = { kind: 'none' }
  const combined: readonly (readonly [Criterion, boolean])[] = [
    [{ kind: 'and', of: [yes, yes] }, true],
    [{ kind: 'and', of: [yes, no] }, false],
    [{ kind: 'and', of: [] }, true],
    [{ kind: 'or', of: [no, yes] }, true],
    [{ kind: 'or', of: [] }, false],
    [{ kind: 'not', of: no }, true],
  ]
  for (const [criterion, expected] of combined) assert.equal(matchMessage(criterion, mail, []), expected)
})
