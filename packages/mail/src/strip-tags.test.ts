import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripTags } from './strip-tags.ts'

test('words stay, tags, scripts, styles and comments go', () => {
  const html =
    '<HEAD><title>t</title></HEAD><Script>s</Script ><!-- c --><p class="x">a <b>b</b></p>c<br>d<style>e'
  assert.equal(stripTags(html), 'a b\nc\nd')
})

test('entities are decoded once', () => {
  assert.equal(stripTags('&amp;lt; &#65;&#x42; &nbsp;&unknown; &#x110000;'), '&lt; AB &unknown; \ufffd')
})

test('what is no tag is text', () => {
  assert.equal(stripTags('1 < 2 <3 a<'), '1 < 2 <3 a<')
})

test('hostile input costs no more than its length', () => {
  const start = performance.now()
  for (const piece of ['<', '<!--', '<script>', '<style', '</', '&', '&#', '<p', '\n', ' ']) {
    stripTags(piece.repeat(200_000))
  }
  assert.ok(performance.now() - start < 20_000)
})
