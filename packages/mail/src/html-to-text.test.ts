import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { htmlToText } from './html-to-text.ts'
import type { LinksMode } from './links.ts'
import { parseHtml } from './parse-html.ts'

function render(html: string, links: LinksMode = 'hosts'): string {
  return rendered(html, links).lines.join('\n')
}

function rendered(html: string, links: LinksMode = 'hosts'): ReturnType<typeof htmlToText> {
  const document = parseHtml(html)
  assert.ok(document !== null)
  return htmlToText(document, links)
}

describe('HTML reads as its reader sees it (check 88)', () => {
  test('white space collapses, breaks and paragraphs stay', () => {
    assert.equal(
      render('<p>a\n  b<br>c</p>\n<p>d&nbsp; &nbsp;e</p><div>f</div><div><br></div><div>g</div>'),
      'a b\nc\n\nd e\n\nf\n\ng',
    )
  })
  test('entities are decoded once', () => {
    assert.equal(render('&amp;lt; &lt;b&gt; &eacute;&#x4f1a; &amp;amp;'), '&lt; <b> \u00e9\u4f1a &amp;')
  })
  test('lists have marks and indents', () => {
    const html = '<ul><li>a<li><p>b</p><ol start=9><li>c</li><li value=20>d<br>e</ol></ul>f'
    assert.equal(render(html), '- a\n- b\n  9. c\n  20. d\n      e\n\nf')
  })
  test('cells of words stand in a row, cells of blocks below each other', () => {
    assert.equal(render('<table><tr><th>a<th>b<tr><td>1<td></td><td>2</table>'), 'a | b\n1 | 2')
    assert.equal(render('<table><tr><td><div>a</div><td><table><tr><td>b<td>c</table></table>'), 'a\nb | c')
  })
  test('quotes have marks', () => {
    assert.equal(
      render('x<blockquote>a<br><br>b<blockquote>c</blockquote></blockquote>y'),
      'x\n> a\n>\n> b\n>> c\ny',
    )
  })
  test('preformatted text keeps its spaces', () => {
    assert.equal(render('<pre>a\n  b\n\nc</pre>'), 'a\n  b\n\nc')
    assert.equal(
      render('<div style="white-space:pre-wrap">a\n  b<table><tr><td> c  d</table></div>'),
      'a\n  b\nc d',
    )
    assert.equal(render('<div style="white-space:pre-line">a\n  b</div>'), 'a\nb')
  })
  test('paragraphs without margin are lines', () => {
    const sheet = '<style>p.MsoNormal{margin:0cm;margin-bottom:.0001pt}</style>'
    assert.equal(
      render(`${sheet}<p class=MsoNormal>a<p class=MsoNormal>b<p class=MsoNormal>&nbsp;<p class=MsoNormal>c`),
      'a\nb\n\nc',
    )
  })
  test('images are their words, and a mail of nothing else says so', () => {
    assert.equal(render('<img alt=" Our\nlogo " src=x><img src=y>'), '[image: Our logo]')
    assert.equal(render('<img src=x>'), '[image]')
    assert.equal(render('<img alt=x width=1><p>a'), 'a')
  })
  test('scripts, styles, comments, vector images and frames are no text', () => {
    const html =
      '<title>t</title><script>s</script><style>c</style><!-- d --><template>e</template><svg><text>f</text></svg><iframe>g</iframe>h'
    assert.equal(render(html), 'h')
    assert.equal(rendered(html).hiddenTextRemoved, 0)
  })
  test('content for readers without scripts is content', () => {
    assert.equal(render('<noscript><p>a</p></noscript>'), 'a')
  })
})

describe('links (checks 50 and 88)', () => {
  const html = '<p>See <a href="https://e.example/p?q=1"> our <b>site</b></a>, <a href=javascript:x>here</a>.'
  test('say where they lead, as asked', () => {
    assert.equal(render(html), 'See our site (e.example), here.')
    assert.equal(render(html, 'full'), 'See our site <https://e.example/p?q=1>, here.')
    assert.equal(render(html, 'none'), 'See our site, here.')
  })
  test('around blocks and images keep their host', () => {
    assert.equal(render('<a href=//e.example><div>Click</div></a><p>x'), 'Click (e.example)\n\nx')
    assert.equal(render('<a href=//e.example><img></a>'), '[image] (e.example)')
    assert.equal(render('<a href=//e.example><img alt=Logo></a>'), '[image: Logo] (e.example)')
    assert.equal(render('a<a href=//e.example></a>'), 'a')
  })
})

describe('out of sight is out of the text, and counted (check 50)', () => {
  test('what a child shows again is seen', () => {
    const cell = '<table><tr><td style="font-size:0"><div style="font-size:14px">a</div>SECRET</table>'
    const block = '<div style="visibility:hidden">SECRET<i style="visibility:visible">b</i></div>'
    const { lines, hiddenTextRemoved } = rendered(cell + block)
    assert.equal(lines.join(' '), 'a b')
    assert.equal(hiddenTextRemoved, 2)
  })
  test('what no child can show again is not', () => {
    for (const style of ['display:none', 'opacity:0', 'height:0;overflow:hidden']) {
      assert.equal(
        render(`<div style="${style}"><p style="display:block;opacity:1;height:9px">SECRET</p></div>a`),
        'a',
      )
    }
  })
  test('readable contrast, images behind text and links are not mistaken for hidden text', () => {
    const visible = [
      '<p style="color:#fff;background:#036">a</p>',
      '<table bgcolor=black><tr><td><font color=white>a</font></table>',
      '<div style="background-image:url(x)"><p style="color:white">a</p></div>',
      '<div style="background:url(x) no-repeat white;color:white">a</div>',
      '<div style="color:#fff;background:linear-gradient(red,blue)">a</div>',
      '<style>td.b p{background:#000}</style><table><tr><td class=b><p style="color:#fff">a</p></table>',
      '<div style="color:#fff;background:rgba(0,0,0,.9)">a</div>',
      '<div style="overflow:hidden;height:20px">a</div>',
      '<table><tr><td style="width:1px;overflow:hidden">a</table>',
      '<div style="position:absolute;left:-10px">a</div>',
      '<p aria-hidden=false>a</p>',
      '<p style="max-width:100%;line-height:0">a</p>',
    ]
    for (const html of visible) {
      assert.equal(render(html), 'a', html)
      assert.equal(rendered(html).hiddenTextRemoved, 0, html)
    }
  })
  test('the counted are elements with words', () => {
    const html =
      '<p hidden>x<b>y</b></p><p hidden> &nbsp; &#x200b;</p><p hidden><img></p><p style="color:#fff">x<br>y</p>'
    assert.equal(rendered(html).hiddenTextRemoved, 2)
  })
})

describe('history that a mail program marked', () => {
  const quoted = (html: string): string | null => {
    const { lines, quotedLine } = rendered(html)
    return quotedLine === null ? null : lines.slice(quotedLine).join('|')
  }
  test('begins where its element begins', () => {
    assert.equal(
      quoted('<p>a</p><div class="gmail_quote">On x wrote:<blockquote>b</blockquote></div>'),
      'On x wrote:|> b',
    )
    assert.equal(quoted('<p>a</p><div id="x_divRplyFwdMsg">From: b</div><div>c</div>'), 'From: b|c')
    assert.equal(
      quoted('a<div class="moz-cite-prefix">On x:</div><blockquote type=cite>b</blockquote>'),
      'On x:|> b',
    )
  })
  test('is none where an answer stands below or between', () => {
    assert.equal(quoted('a<blockquote type=cite>b</blockquote><p>c</p>'), null)
    assert.equal(
      quoted('a<blockquote type=cite>b</blockquote><p>c</p><blockquote type=cite>d</blockquote>'),
      '> d',
    )
  })
})

describe('hostile markup', () => {
  test('nesting of 100,000 elements is read', () => {
    for (const tag of [
      'div',
      'b',
      'blockquote',
      'ul><li',
      'table><tr><td',
      'a href=//x.example',
      'span style="opacity:1"',
    ]) {
      const text = render(`<${tag}>`.repeat(100_000 / tag.split('>').length) + 'deep')
      assert.ok(text.includes('deep'), tag)
      assert.ok(text.length < 2_000_000, tag)
    }
  })
  test('text without end is cut, and says so', () => {
    const { lines, isCut } = rendered('x<br>'.repeat(600_000))
    assert.ok(isCut)
    assert.ok(lines.length <= 500_001)
  })
  test('names of the prototype are only names', () => {
    assert.equal(
      render('<constructor __proto__=x><p class=toString id=__proto__ style="__proto__:x">a</p>'),
      'a',
    )
  })
})
