import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { test } from 'node:test'
import { readBaseSubject } from './base-subject.ts'

const plans = [
  'Re: Plan',
  'RE:Plan',
  'Re : Plan',
  'Fwd: Re: Plan',
  'Fw: Plan (fwd)',
  'Re[2]: Plan',
  'Re(3): Plan',
  '[list] Re: Plan',
  'Re: [list] Plan',
  'Re: [list] [other]  RE:\tplan',
  '[Fwd: Plan]',
  'AW: WG: Plan',
  'Re\uff1a Plan',
]

test('whatever mail programs and lists put around a subject, its base is the same, and it is an answer', () => {
  for (const subject of plans) {
    const { base, isAnswer } = readBaseSubject(subject)
    assert.deepEqual([base, isAnswer], ['plan', true], subject)
  }
})

test('a subject that answers nothing is its own base, without the label of a list', () => {
  for (const [subject, base] of [
    ['Plan', 'plan'],
    ['[list] Plan', 'plan'],
    ['[urgent]', '[urgent]'],
    ['Regarding: the plan', 'regarding: the plan'],
    ['', ''],
    ['Gr\u00dc\u00dfe', 'gr\u00fcsse'],
  ] as const) {
    const read = readBaseSubject(subject)
    assert.deepEqual([read.base, read.isAnswer], [base, false], subject)
  }
})

test('a subject of nothing but markers has an empty base', () => {
  for (const subject of ['Re:', 'Re: Fwd:', 'Re: Re: ', '(fwd)']) {
    assert.deepEqual(readBaseSubject(subject), { text: '', base: '', isAnswer: true }, subject)
  }
})

test('the words of the base are kept as written, for a search', () => {
  assert.equal(readBaseSubject('Re: [list]  Quarterly   FIGURES').text, 'Quarterly FIGURES')
})

test('markers without end take no time', () => {
  const start = performance.now()
  for (const piece of ['[', '[a]', 'Re: ', '[fwd:', 're[', '(fwd)', ' '])
    readBaseSubject(piece.repeat(200_000))
  assert.ok(performance.now() - start < 500)
})
