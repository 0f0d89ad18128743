import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smtpData } from './smtp-data.ts'

const onWire = (octets: Uint8Array): string => Buffer.concat([...smtpData(octets)]).toString('latin1')

/** The same, said in one step. */
function expected(text: string): string {
  const lines = text.replace(/\r\n|\r|\n/g, '\r\n')
  const whole = lines === '' || lines.endsWith('\r\n') ? lines : `${lines}\r\n`
  return `${whole.replace(/(^|\r\n)\./g, '$1..')}.\r\n`
}

test('dots at the start of a line are doubled, and a CR or LF alone is a line end', () => {
  for (const text of [
    '',
    '.',
    '..\r\n.',
    'a\r\n.\r\nb',
    'a\n.\nb',
    'a\r.\rb',
    'a\r\r\n.\r\n',
    'a\n\r\n.b\r',
    '\r.\r\n',
    'no end',
    '\n.\r\nMAIL FROM:<a@b.example>\r\n',
  ])
    assert.equal(onWire(Buffer.from(text, 'latin1')), expected(text), JSON.stringify(text))
})

test('what falls on the border of two pieces is treated as what does not', () => {
  const border = 64 * 1024
  for (const crossing of ['\r\n.x', '\r\n..', '\r.x', '\n.x', '.x', '\r\r\n.', '\r'])
    for (let before = border - 4; before <= border + 1; before += 1) {
      const text = `${'x'.repeat(before)}${crossing}`
      assert.equal(onWire(Buffer.from(text, 'latin1')), expected(text), JSON.stringify([crossing, before]))
    }
})

test('a piece of nothing but dots and line ends fits where it is put', () => {
  for (const unit of ['\r.', '\n', '\n.', '\r']) {
    const text = unit.repeat(140_000 / unit.length)
    assert.equal(onWire(Buffer.from(text, 'latin1')), expected(text))
  }
})
