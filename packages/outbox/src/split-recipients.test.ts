import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitRecipients } from './split-recipients.ts'

test('a list in one text is taken apart at the commas that part mailboxes, and at no others', () => {
  for (const [list, entries] of [
    ['amy@x.example', ['amy@x.example']],
    ['amy@x.example, Bob <bob@x.example>', ['amy@x.example', 'Bob <bob@x.example>']],
    ['"Doe, Jane" <j@x.example>,bob@x.example', ['"Doe, Jane" <j@x.example>', 'bob@x.example']],
    ['Doe, Jane <j@x.example>, bob@x.example', ['Doe, Jane <j@x.example>', 'bob@x.example']],
    ['"a@b.example, c" <d@x.example>', ['"a@b.example, c" <d@x.example>']],
    ['amy@x.example,', ['amy@x.example']],
    ['Team', ['Team']],
    ['', []],
  ] as const) {
    assert.deepEqual(splitRecipients(list), entries, list)
  }
})

test('nothing of a list is lost: what is no mailbox stays an entry, to be refused', () => {
  assert.deepEqual(splitRecipients('amy@x.example, Team'), ['amy@x.example', 'Team'])
  assert.deepEqual(splitRecipients('"open <a@x.example, b@x.example'), ['"open <a@x.example', 'b@x.example'])
})

test('a long list of anything takes linear time', () => {
  const timeOf = (text: string): number => {
    const start = performance.now()
    splitRecipients(text)
    return performance.now() - start
  }
  for (const unit of ['"', '<', ',', '\\"', '"<', 'a,', 'a@b,']) {
    assert.ok(timeOf(unit.repeat(200_000)) < 2_000, unit)
  }
})
