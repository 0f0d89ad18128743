import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseBody } from './choose-body.ts'
import type { Part } from './part.ts'
import { rawText } from './text.ts'

type Draft = Partial<Omit<Part, 'children' | 'filename' | 'content'>> & { filename?: string; text?: string }

/** A leaf; its id is given by the multipart around it. */
function leaf(type: string, draft: Draft = {}): Part {
  const { filename, text, ...rest } = draft
  return {
    id: '1',
    type,
    params: new Map(),
    disposition: null,
    filename: filename === undefined ? null : rawText(filename),
    contentId: null,
    sizeBytes: null,
    encoding: '7bit',
    content: text === undefined ? null : Buffer.from(text),
    children: [],
    ...rest,
  }
}

function multipart(subtype: string, children: readonly Part[], start?: string): Part {
  const params = new Map(start === undefined ? [] : [['start', start]])
  return numbered({ ...leaf(`multipart/${subtype}`, { id: '' }), params, children })
}

function numbered(part: Part): Part {
  const children = part.children.map((child, index) =>
    numbered({ ...child, id: `${part.id}${part.id && '.'}${index + 1}` }),
  )
  return { ...part, children }
}

const plain = leaf('text/plain')
const html = leaf('text/html')
const pdf = leaf('application/pdf', { filename: 'a.pdf', disposition: 'attachment' })
const image = leaf('image/png', { contentId: 'i@x' })

function bodyIds(tree: Part, blank: readonly string[] = []): string {
  const { parts, source } = chooseBody(tree, new Set(blank))
  return `${source} ${parts.map(({ part }) => part.id).join(' ')}`.trim()
}

function attachmentIds(tree: Part): string {
  return chooseBody(tree)
    .attachments.map(({ partId, isInline, index }) => `${index}:${partId}${isInline ? ' inline' : ''}`)
    .join(', ')
}

test('check 88: HTML is the body where there is nothing else', () => {
  assert.equal(bodyIds(html), 'html 1')
  assert.equal(bodyIds(multipart('alternative', [html])), 'html 1')
  assert.equal(bodyIds(multipart('mixed', [pdf, html])), 'html 2')
})

test('plain text is preferred among alternatives, wherever it stands and however deep HTML lies', () => {
  assert.equal(bodyIds(multipart('alternative', [html, plain])), 'plain 2')
  assert.equal(bodyIds(multipart('alternative', [plain, multipart('related', [html, image])])), 'plain 1')
  assert.equal(bodyIds(multipart('mixed', [multipart('alternative', [plain, html]), plain])), 'plain 1.1 2')
})

test('enriched, AMP and watch forms are read only where there is no other', () => {
  const amp = leaf('text/x-amp-html')
  assert.equal(bodyIds(multipart('alternative', [leaf('text/enriched'), amp, html])), 'html 3')
  assert.equal(bodyIds(multipart('alternative', [plain, leaf('text/watch-html'), html])), 'plain 1')
  assert.equal(bodyIds(multipart('alternative', [leaf('text/enriched')])), 'plain 1')
  assert.equal(attachmentIds(multipart('alternative', [plain, amp, html])), '')
})

test('of several plain alternatives the first is read', () => {
  assert.equal(bodyIds(multipart('alternative', [plain, html, plain])), 'plain 1')
})

test('plain text whose content shows nothing gives way to HTML', () => {
  for (const text of ['', ' \r\n\t', '\u00a0\u200b\ufeff']) {
    assert.equal(
      bodyIds(multipart('alternative', [leaf('text/plain', { text }), html])),
      'html 2',
      JSON.stringify(text),
    )
  }
  assert.equal(bodyIds(multipart('alternative', [leaf('text/plain', { text: ' .' }), html])), 'plain 1')
  assert.equal(bodyIds(multipart('alternative', [leaf('text/plain', { text: '\u4f60' }), html])), 'plain 1')
})

test('plain text that proves blank once read gives way on the second choice', () => {
  const tree = multipart('alternative', [plain, html])
  const first = chooseBody(tree)
  assert.deepEqual(
    first.parts.map(({ part }) => part.id),
    ['1'],
  )
  assert.deepEqual(
    first.alternatives.map(({ part, kind }) => [part.id, kind]),
    [['2', 'html']],
  )
  assert.equal(bodyIds(tree, ['1']), 'html 2')
  assert.equal(bodyIds(tree, ['1', '2']), 'plain 1')
})

test('blank text gives way only among its own alternatives', () => {
  const tree = multipart('mixed', [
    multipart('alternative', [plain, html]),
    multipart('alternative', [plain, html]),
  ])
  assert.equal(bodyIds(tree, ['1.1']), 'html 1.2 2.1')
})

test('check 91: texts of a mixed message are read in order', () => {
  assert.equal(bodyIds(multipart('mixed', [plain, pdf, html, plain])), 'html 1 3 4')
  assert.equal(bodyIds(multipart('signed', [plain, leaf('application/pgp-signature')])), 'plain 1')
  assert.equal(bodyIds(multipart('report', [plain, leaf('message/delivery-status')])), 'plain 1')
})

test('check 97: texts with a file name or an attachment disposition, and data that is text by name, are files', () => {
  const tree = multipart('mixed', [
    plain,
    leaf('text/plain', { filename: 'a.txt' }),
    leaf('text/html', { disposition: 'attachment' }),
    leaf('text/calendar'),
    leaf('text/x-diff'),
    leaf('text/plain', { filename: 'b.txt', disposition: 'inline' }),
  ])
  assert.equal(bodyIds(tree), 'plain 1 5')
  assert.equal(attachmentIds(tree), '0:2, 1:3, 2:4, 3:6')
})

test('a message that is one text is body whatever its name, unless it is sent as an attachment', () => {
  assert.equal(bodyIds(leaf('text/plain', { filename: 'a.txt' })), 'plain 1')
  assert.equal(bodyIds(leaf('text/plain', { disposition: 'attachment' })), 'none')
  assert.equal(attachmentIds(leaf('application/pdf')), '0:1')
})

test('check 98: an attached message is a file', () => {
  const tree = multipart('mixed', [plain, leaf('message/rfc822'), leaf('message/global')])
  assert.equal(bodyIds(tree), 'plain 1')
  assert.equal(attachmentIds(tree), '0:2, 1:3')
})

test('check 98: the root of related parts is named by start; without a valid one the first is read, with a warning', () => {
  const root = leaf('text/html', { contentId: 'root@x' })
  const warnings = (tree: Part): readonly string[] => chooseBody(tree).warnings
  const named = multipart('related', [html, root], '<root@x>')
  assert.deepEqual([bodyIds(named), warnings(named)], ['html 2', []])
  for (const start of ['<other@x>', undefined]) {
    const tree = multipart('related', [html, root], start)
    assert.deepEqual([bodyIds(tree), warnings(tree)], ['html 1', ['related_root_missing']])
  }
  const pictureFirst = multipart('related', [image, html])
  assert.deepEqual([bodyIds(pictureFirst), warnings(pictureFirst)], ['html 2', ['related_root_missing']])
})

test('a related part that is not read warns about nothing', () => {
  const tree = multipart('alternative', [plain, multipart('related', [html, image])])
  assert.deepEqual(chooseBody(tree).warnings, [])
})

test('the HTML form is found where plain text is the body', () => {
  const htmlIds = (tree: Part): readonly string[] => chooseBody(tree).htmlParts.map(({ id }) => id)
  assert.deepEqual(htmlIds(multipart('alternative', [plain, multipart('mixed', [html, pdf, html])])), [
    '2.1',
    '2.3',
  ])
  assert.deepEqual(htmlIds(multipart('mixed', [plain, html])), ['2'])
  assert.deepEqual(htmlIds(plain), [])
})

test('files are counted in the order of the tree, also those within a passed-over alternative', () => {
  const tree = multipart('mixed', [
    multipart('alternative', [plain, multipart('mixed', [html, pdf])]),
    multipart('related', [
      html,
      image,
      leaf('application/octet-stream'),
      leaf('text/x-log', { filename: 'a.log' }),
    ]),
    pdf,
  ])
  assert.equal(attachmentIds(tree), '0:1.2.2, 1:2.2 inline, 2:2.3 inline, 3:2.4, 4:3')
})

test('pictures within the text are inline, documents never are', () => {
  const tree = multipart('mixed', [
    plain,
    leaf('image/png', { disposition: 'inline' }),
    image,
    leaf('image/png', { disposition: 'attachment', contentId: 'x' }),
    leaf('image/png', { filename: 'a.png' }),
    leaf('application/pdf', { disposition: 'inline', filename: 'a.pdf', contentId: 'y' }),
  ])
  assert.equal(attachmentIds(tree), '0:2 inline, 1:3 inline, 2:4, 3:5, 4:6')
})

test('the size of a file is exact where it is there, and for base64 an estimate of the decoded one', () => {
  const sizes = multipart('mixed', [
    leaf('application/a', { text: 'four', sizeBytes: 8, encoding: 'base64' }),
    leaf('application/b', { sizeBytes: 780, encoding: 'base64' }),
    leaf('application/c', { sizeBytes: 780 }),
    leaf('application/d'),
  ])
  assert.deepEqual(
    chooseBody(sizes).attachments.map(({ sizeBytes }) => sizeBytes),
    [4, 570, 780, null],
  )
})

test('a multipart that was not taken apart is a file', () => {
  assert.equal(attachmentIds(multipart('mixed', [plain, leaf('multipart/mixed')])), '0:2')
})
