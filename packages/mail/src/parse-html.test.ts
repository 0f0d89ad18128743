import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHtml } from './parse-html.ts'

test('markup that multiplies its elements is refused', () => {
  const fonts = Array.from({ length: 300 }, (_, index) => `<font s=${index}>`).join('')
  assert.equal(parseHtml(`<p>${fonts}</p>${'<p>x'.repeat(5_000)}`), null)
})

test('markup that is only broken is not', () => {
  const fonts = '<font size=1><b><i>'.repeat(10)
  assert.ok(parseHtml(`<p>${fonts}</p>${'<p>Some words of a newsletter.</p>'.repeat(500)}`) !== null)
  for (const html of ['', '<', '<!--', '<p', '&', '\0', '<![CDATA[', '</p>', '<table><p>x']) {
    assert.ok(parseHtml(html) !== null, html)
  }
})
