import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '@postern/core'
import { parseLanguage, parseTimezone } from './inbox-settings.ts'

const isRefusal = (error: unknown): boolean => error instanceof Fault && error.code === 'invalid_arguments'

test('zones and languages get the form in which everybody writes them', () => {
  assert.equal(parseTimezone('asia/tokyo'), 'Asia/Tokyo')
  assert.equal(parseTimezone('UTC'), 'UTC')
  assert.equal(parseLanguage('PT-br'), 'pt-BR')
})

test('an offset is no zone, and nonsense is neither', () => {
  for (const text of ['+01:00', '', 'Mars/Olympus', 'Europe/Berlin\n']) {
    assert.throws(() => parseTimezone(text), isRefusal)
  }
  for (const text of ['', 'english please', 'x']) assert.throws(() => parseLanguage(text), isRefusal)
})
