import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseHtml } from './parse-html.ts'
import { sanitiseHtml } from './sanitise-html.ts'

function clean(html: string): string {
  const document = parseHtml(html)
  assert.ok(document !== null)
  return sanitiseHtml(document).replace(/^<div>|<\/div>$/g, '')
}

describe('markup holds only what carries meaning', () => {
  test('elements, spans and numbers of the allow-list', () => {
    const html =
      '<h1>a</h1><ul><li><b>b</b></ul><ol start="3"><li value="4">c</ol><table><tr><td colspan="2" width=9 onclick=x>d</table>'
    assert.equal(
      clean(html),
      '<h1>a</h1><ul><li><b>b</b></li></ul><ol start="3"><li value="4">c</li></ol><table><tbody><tr><td colspan="2">d</td></tr></tbody></table>',
    )
  })
  test('no attribute but these, and no value that is not what it says', () => {
    assert.equal(
      clean('<p class=a id=b style="color:red" title=c data-x=d dir=RTL onload=e>f</p>'),
      '<p dir="rtl">f</p>',
    )
    assert.equal(clean('<ol start="1 onload=x"><li>a</ol>'), '<ol><li>a</li></ol>')
  })
  test('links only to http, https and mailto', () => {
    assert.equal(
      clean('<a href="https://e.example/?a=1&b=%22" target=x>a</a>'),
      '<a href="https://e.example/?a=1&amp;b=%22">a</a>',
    )
    assert.equal(clean('<a href="mailto:a@e.example?subject=x">a</a>'), '<a href="mailto:a@e.example">a</a>')
    for (const href of [
      'javascript:x',
      'data:text/html,x',
      'vbscript:x',
      'ftp://e.example',
      'cid:x',
      '/a',
      ' java\tscript:x',
    ]) {
      assert.equal(clean(`<a href="${href}">a</a>`), 'a', href)
    }
  })
  test('images are words without a source', () => {
    assert.equal(
      clean('<img src="https://e.example/x" srcset=y alt="a &quot;b&quot; <i>" onerror=z>'),
      '<img alt="a &quot;b&quot; &lt;i&gt;">',
    )
    assert.equal(clean('<img src=x>'), '')
  })
  test('nothing that loads, runs or styles', () => {
    const html =
      '<script>s</script><style>s</style><svg onload=x><a>s</a></svg><iframe src=x>s</iframe><object data=x>a</object><form action=x><input value=s><button>b</button></form><base href=x><meta http-equiv=refresh><link rel=stylesheet><math><mi>c</mi></math><video src=x>s</video><template>s</template>'
    assert.equal(clean(html), 'a<div>b</div>c')
  })
  test('nothing that is out of sight (check 50)', () => {
    assert.equal(
      clean('<style>.h{display:none}</style><p class=h>SECRET</p><p style="color:#fff">SECRET</p><p>a</p>'),
      '<p></p><p>a</p>',
    )
  })
})

test('text is escaped, and cleaned in whole runs', () => {
  assert.equal(clean('<p>&lt;script&gt; &amp;amp; a\u200bb</p>'), '<p>&lt;script&gt; &amp;amp; ab</p>')
  assert.equal(clean('<p>!<span></span>[x](u)</p>'), '<p>! [x](u)</p>')
})

test('output is balanced whatever the input', () => {
  for (const html of [
    '<b><i>x</b>y</i>',
    '<div>'.repeat(500),
    '</p></div>x',
    '<table><b>x<td>y',
    '<a href=//x.example><a href=//y.example>z',
    '<p>'.repeat(9),
  ]) {
    const open: string[] = []
    for (const [, slash, name] of clean(`<section>${html}`).matchAll(/<(\/?)([a-z]+[1-6]?)[^>]*>/g)) {
      if (name === undefined || ['br', 'hr', 'wbr', 'img'].includes(name)) continue
      if (slash === '') open.push(name)
      else assert.equal(open.pop(), name, html)
    }
    assert.deepEqual(open, [], html)
    assert.ok(open.length <= 100)
  }
})

test('markup without end is cut and still balanced', () => {
  const markup = clean('<b>xxxxxxxxxx</b>'.repeat(200_000))
  assert.ok(markup.length < 1_100_000)
  assert.equal(markup.split('<b>').length, markup.split('</b>').length)
})

test('a forwarded message keeps pictures of its own parts, and no other source', () => {
  const document = parseHtml(
    '<img src="cid:logo.1@mail.example" alt=Logo width=9><img src="https://track.example/x.png" alt=x><img src="cid:a b">',
  )
  assert.ok(document !== null)
  assert.match(
    sanitiseHtml(document, true),
    /^(?:<div>)?<img alt="Logo" src="cid:logo\.1@mail\.example"><img alt="x">/,
  )
  assert.doesNotMatch(sanitiseHtml(document, true), /track|a b/)
  assert.doesNotMatch(sanitiseHtml(document), /src/)
})
