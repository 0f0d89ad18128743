import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Part } from './part.ts'
import { renderBody, type BodyContent, type RenderBodyOptions, type RenderedBody } from './render-body.ts'

interface Given {
  readonly params?: Readonly<Record<string, string>>
  readonly isCut?: boolean
  readonly isDamaged?: boolean
}

let made = 0

function content(kind: 'plain' | 'html', text: string | Uint8Array, given: Given = {}): BodyContent {
  const octets = typeof text === 'string' ? Buffer.from(text) : text
  const part: Part = {
    id: String(++made),
    type: `text/${kind}`,
    params: new Map(Object.entries({ charset: 'utf-8', ...given.params })),
    disposition: null,
    filename: null,
    contentId: null,
    sizeBytes: octets.length,
    encoding: '8bit',
    content: octets,
    children: [],
  }
  return { part, kind, content: octets, isCut: given.isCut ?? false, isDamaged: given.isDamaged ?? false }
}

function render(
  parts: readonly BodyContent[],
  options: Partial<RenderBodyOptions> = {},
  htmlParts: readonly BodyContent[] = [],
): Promise<RenderedBody> {
  return renderBody({ parts, htmlParts }, { links: 'hosts', pool: null, ...options })
}

describe('a body', () => {
  test('of nothing is nothing', async () => {
    assert.deepEqual(await render([]), {
      text: '',
      source: 'none',
      quotedFrom: null,
      hiddenTextRemoved: 0,
      charsetGuessed: false,
      warnings: [],
      blankParts: [],
      html: null,
    })
  })
  test('of three text parts is joined in order (check 91)', async () => {
    const { text, source } = await render([
      content('plain', 'a\r\n'),
      content('html', '<p>b'),
      content('plain', '\n\n c\n'),
    ])
    assert.deepEqual([text, source], ['a\n\nb\n\n c', 'html'])
  })
  test('of HTML alone is text, its links and breaks kept, its entities decoded once (check 88)', async () => {
    const html = '<p>One<br>two &amp;amp; <a href="https://x.example/y">three</a></p>'
    const { text, source } = await render([content('html', html)])
    assert.deepEqual([text, source], ['One\ntwo &amp; three (x.example)', 'html'])
  })
  test('of images alone still says so (check 88)', async () => {
    const { text, warnings } = await render([content('html', '<img src=x>')])
    assert.deepEqual([text, warnings], ['[image]', []])
  })
  test('shows an address of plain text as it is (check 89)', async () => {
    const { text } = await render([content('plain', 'https://x.example/?x=ed12&y=%3D')])
    assert.equal(text, 'https://x.example/?x=ed12&y=%3D')
  })
  test('of format=flowed is unwrapped', async () => {
    const params = { format: 'Flowed', delsp: 'no' }
    assert.equal((await render([content('plain', 'a \r\nb\r\n> c \r\n> d', { params })])).text, 'a b\n> c d')
    assert.equal((await render([content('plain', 'a \r\nb', { params: { format: 'fixed' } })])).text, 'a \nb')
  })
  test('tells where history begins, across its parts', async () => {
    const html = '<p>Yes.</p><div class="gmail_quote">Ann asked:<blockquote>Which?</blockquote></div>'
    const { text, quotedFrom } = await render([content('plain', 'Intro'), content('html', html)])
    assert.equal(text.slice(quotedFrom ?? 0), 'Ann asked:\n> Which?')
    const plain = await render([content('plain', 'Yes.\n\nOn 2 Nov 2026 at 10:00 Ann wrote:\n> Which?')])
    assert.equal(plain.quotedFrom, 6)
  })
})

describe('what could not be read is a warning beside what could (check 90)', () => {
  const latin = Uint8Array.of(0x63, 0x61, 0x66, 0xe9)
  test('an unknown charset', async () => {
    const { text, charsetGuessed, warnings } = await render([
      content('plain', latin, { params: { charset: 'x-klingon' } }),
    ])
    assert.deepEqual([text, charsetGuessed, warnings], ['caf\ufffd', true, ['charset_unknown']])
  })
  test('a charset that only the HTML declares is one', async () => {
    const html = Buffer.concat([
      Buffer.from('<meta http-equiv=Content-Type content="text/html; charset=iso-8859-1"><p>'),
      latin,
    ])
    const { text, charsetGuessed } = await render([content('html', html, { params: { charset: 'unknown' } })])
    assert.deepEqual([text, charsetGuessed], ['caf\u00e9', false])
  })
  test('a broken transfer encoding, a cut part, a bomb', async () => {
    const fonts = Array.from({ length: 300 }, (_, index) => `<font s=${index}>`).join('')
    const { text, warnings } = await render([
      content('plain', 'a', { isDamaged: true }),
      content('plain', 'b', { isCut: true }),
      content('html', `<p>${fonts}</p>${'<p>c'.repeat(3_000)}`),
    ])
    assert.match(text, /^a\n\nb\n\nc\nc/)
    assert.deepEqual(warnings, ['transfer_encoding_damaged', 'body_cut', 'html_not_rendered'])
  })
  test('HTML that shows nothing', async () => {
    const { text, hiddenTextRemoved, warnings, blankParts } = await render([content('html', '<p hidden>a')])
    assert.deepEqual([text, hiddenTextRemoved, warnings, blankParts.length], ['', 1, ['no_visible_text'], 1])
  })
})

describe('markup', () => {
  test('is made only of what it was asked of', async () => {
    const plain = content('plain', 'a')
    const html = content('html', '<p onclick=x>b</p>')
    assert.equal((await render([plain], {}, [])).html, null)
    const { text, html: markup, hiddenTextRemoved } = await render([plain], {}, [html])
    assert.deepEqual([text, markup, hiddenTextRemoved], ['a', '<div><p>b</p></div>', 0])
  })
  test('is not there where it could not be made', async () => {
    const fonts = Array.from({ length: 300 }, (_, index) => `<font s=${index}>`).join('')
    const bomb = content('html', `<p>${fonts}</p>${'<p>c'.repeat(3_000)}`)
    assert.equal((await render([bomb], {}, [bomb])).html, null)
  })
})

test('a body longer than any window is cut, and says so', async () => {
  const { text, warnings } = await render([content('plain', 'x'.repeat(2_100_000))])
  assert.deepEqual([text.length, warnings], [2_000_000, ['body_cut']])
})

test('megabytes of addresses in plain text stand there as ever, and let others have their turns', async () => {
  const line = 'https://shop.example/x https://bank.example@evil.example/ \n'
  let isOver = false
  let turns = 0
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const { text } = await render([content('plain', line.repeat(20_000))])
  isOver = true
  const shown = text.match(/x https:\/\/bank\.example@evil\.example\/ \(evil\.example\)/g) ?? []
  assert.equal(shown.length, 20_000)
  assert.ok(turns >= 2, `${String(turns)} turns`)
})
