import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strikeOut } from './strike-out.ts'
import { atom, literal, text } from './wire.ts'

test('what a server repeats of a command stands in no log, and its own words do', () => {
  const folder = text('Work/Divorce', false)
  assert.equal(
    strikeOut("Mailbox doesn't exist: Work/Divorce (0.001 s)", [folder]),
    "Mailbox doesn't exist: [...] (0.001 s)",
  )
  const keys = [
    atom('OR'),
    [atom('FROM'), text('amy', false)],
    [atom('TEXT'), literal(Buffer.from('amy l\u00f6w'))],
  ]
  assert.equal(strikeOut('cannot search FROM amy or amy l\u00f6w', keys), 'cannot search FROM [...] or [...]')
  assert.equal(
    strikeOut('no Entw\u00fcrfe, no Entw&APw-rfe', [text('Entw&APw-rfe', false)]),
    'no [...], no [...]',
  )
  assert.equal(strikeOut('in use', [text('', false), text('i', false)]), 'in use')
})
