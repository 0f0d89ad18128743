import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderValue } from './render-value.ts'

test('an answer reads as names and values', () => {
  const shown = renderValue({
    messages: [{ subject: 'Hi', to: ['a@x.example', 'b@x.example'], body: 'one\ntwo' }],
    has_more: false,
    next_cursor: null,
    notes: [],
  })
  assert.equal(
    shown,
    [
      'messages:',
      '  - subject: Hi',
      '    to: a@x.example, b@x.example',
      '    body:',
      '        one',
      '        two',
      'has_more: false',
      'next_cursor: -',
      'notes: (none)',
      '',
    ].join('\n'),
  )
})

test('escape sequences inside an answer are not sent to the terminal', () => {
  assert.doesNotMatch(renderValue({ subject: '\u001b]0;x\u0007' }), /[\u001b\u0007]/)
})
