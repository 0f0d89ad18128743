import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestArgs } from './digest-args.ts'

const digest = (args: Record<string, unknown>, inboxId: string | null = 'inbox'): string =>
  Buffer.from(digestArgs(args, inboxId)).toString('hex')

test('check 176: a call is the same in any order of its arguments, under any key, and in any case of a domain', () => {
  const first = digest({ to: ['Amy <Amy@Sender.Example>'], from: 'o@HOME.example', subject: 'Hi@Home' })
  const same = { subject: 'Hi@Home', from: 'o@home.example', to: ['Amy <Amy@sender.example>'] }
  assert.equal(digest(same), first)
  assert.equal(digest({ ...same, idempotency_key: 'k' }), first)
})

test('check 173: what means another act is another call', () => {
  const base = { to: ['Amy <Amy@sender.example>'], subject: 'Hi@Home' }
  for (const other of [
    { ...base, to: ['Amy <amy@sender.example>'] },
    { ...base, to: ['Amy@Sender.example <Bob@sender.example>'] },
    { ...base, to: [] },
    { ...base, cc: base.to },
    { ...base, subject: 'Hi@home' },
  ])
    assert.notEqual(digest(other), digest(base), JSON.stringify(other))
  assert.notEqual(digest(base, 'other'), digest(base))
})
