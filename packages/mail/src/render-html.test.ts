import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HtmlTask } from './html-task.ts'
import { createParsePool, type HtmlParser } from './parse-pool.ts'
import { maxInlineHtmlChars, renderHtml } from './render-html.ts'
import { rawText } from './text.ts'

const options = { links: 'hosts', wantsMarkup: true } as const

describe('HTML becomes clean text', () => {
  test('invisible characters go, as characters and as entities', async () => {
    const html = '<p>a\u200bb&#x200b;c&zwnj;d&shy;e&#xe0041;f &#x202e;g</p><p>&#x645;&zwnj;&#x62a;</p>'
    const { text, markup } = await renderHtml(rawText(html), options, null)
    assert.equal(text, 'abcdef g\n\n\u0645\u200c\u062a')
    assert.equal(markup, '<div><p>abcdef g</p><p>\u0645\u200c\u062a</p></div>')
  })
  test('what its elements spell together is defused', async () => {
    const { text } = await renderHtml(
      rawText('!<i></i>[a](https://x.example) &lt;img src=x&gt;'),
      options,
      null,
    )
    assert.equal(text, '! [a](https://x.example) < img src=x>')
  })
  test('the offset of marked history is one of the clean text', async () => {
    const html =
      '<p>a&#8203;&#8203;</p><p>![x]</p><div class="gmail_quote">On y:<blockquote>b</blockquote></div>'
    const { text, quotedFrom } = await renderHtml(rawText(html), options, null)
    assert.equal(text.slice(quotedFrom ?? 0), 'On y:\n> b')
  })
})

describe('long HTML is parsed in the pool', () => {
  const asked: HtmlTask[] = []
  const refusing: HtmlParser = {
    render: (task) => {
      asked.push(task)
      return Promise.resolve(null)
    },
  }
  test('short HTML is not', async () => {
    const { isParsed } = await renderHtml(rawText('<p>a'), options, refusing)
    assert.deepEqual([isParsed, asked.length], [true, 0])
  })
  test('what the pool cannot parse is read without its tags, and says so', async () => {
    const html = `<p hidden>b</p><script>s</script><p>a&amp;c</p>${' '.repeat(maxInlineHtmlChars)}`
    const { text, isParsed, markup } = await renderHtml(rawText(html), options, refusing)
    assert.deepEqual([text, isParsed, markup, asked.length], ['b\n\na&c', false, null, 1])
  })
  test('of a long document that the pool cannot parse the front is read, and the cut is said', async () => {
    const { text, isParsed, isCut } = await renderHtml(rawText('<p>ab'.repeat(200_000)), options, refusing)
    assert.deepEqual([isParsed, isCut, text.startsWith('ab\nab')], [false, true, true])
    assert.ok(text.length < 131_072)
  })
  test('both ways give the same', async () => {
    const html = rawText(`<ul>${'<li>An item with <a href="//x.example">a link</a></li>'.repeat(2_000)}</ul>`)
    const pool = createParsePool({ size: 1 })
    const here = await renderHtml(html, options, null)
    const there = await renderHtml(html, options, pool)
    await pool.close()
    assert.ok(html.length > maxInlineHtmlChars && here.isParsed)
    assert.deepEqual(there, here)
  })
})
