import { walkParts, type Part } from '@postern/mail'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { partsOf } from './parts.ts'
import type { Token } from './wire.ts'

/** A structure in the notation of the wire: lists in brackets, NIL as null. */
type Shape = null | string | readonly Shape[]

function token(shape: Shape): Token {
  if (shape === null) return null
  return typeof shape === 'string' ? { type: 'STRING', value: shape } : shape.map(token)
}

const partsFrom = (shape: Shape): Part | null => partsOf(token(shape))

const text = (subtype: string, rest: readonly Shape[] = []): Shape => [
  'TEXT',
  subtype,
  ['CHARSET', 'utf-8'],
  null,
  null,
  'QUOTED-PRINTABLE',
  '120',
  '3',
  ...rest,
]

describe('a part tree', () => {
  test('of one part is part 1', () => {
    const part = partsFrom(text('PLAIN')) ?? assert.fail('no tree')
    assert.deepEqual(
      [part.id, part.type, part.params.get('charset'), part.encoding, part.sizeBytes, part.children.length],
      ['1', 'text/plain', 'utf-8', 'quoted-printable', 120, 0],
    )
  })

  test('numbers nested multiparts as sections are numbered', () => {
    const tree = partsFrom([
      [
        text('PLAIN'),
        [text('HTML'), ['IMAGE', 'PNG', null, '<logo@x>', null, 'BASE64', '99'], 'RELATED'],
        'ALTERNATIVE',
      ],
      ['APPLICATION', 'PDF', null, null, null, 'BASE64', '2000', null, ['ATTACHMENT', ['FILENAME', 'a.pdf']]],
      'MIXED',
      ['BOUNDARY', 'b'],
    ])
    assert.ok(tree)
    assert.deepEqual(
      [...walkParts(tree)].map(({ id, type }) => `${id} ${type}`),
      [
        ' multipart/mixed',
        '1 multipart/alternative',
        '1.1 text/plain',
        '1.2 multipart/related',
        '1.2.1 text/html',
        '1.2.2 image/png',
        '2 application/pdf',
      ],
    )
    assert.equal(tree.params.get('boundary'), 'b')
    assert.equal([...walkParts(tree)][5]?.contentId, 'logo@x')
    assert.deepEqual([tree.children[1]?.disposition, tree.children[1]?.filename], ['attachment', 'a.pdf'])
  })

  test('check 98: does not enter an attached message, and finds its disposition behind it', () => {
    const inner = text('PLAIN')
    const envelope = Array.from({ length: 10 }, () => null)
    const shape: Shape = [
      'MESSAGE',
      'RFC822',
      null,
      null,
      null,
      '7BIT',
      '400',
      envelope,
      inner,
      '12',
      null,
      ['ATTACHMENT', ['FILENAME', 'mail.eml']],
    ]
    const part = partsFrom([text('PLAIN'), shape, 'MIXED'])?.children[1]
    assert.deepEqual([part?.id, part?.children, part?.filename], ['2', [], 'mail.eml'])
    const asFile = partsFrom(['MESSAGE', 'RFC822', null, null, null, '7BIT', '400', null, ['INLINE', null]])
    assert.equal(asFile?.disposition, 'inline')
  })

  test('decodes file names in every spelling that servers pass on', () => {
    const name = (params: readonly Shape[]): string | null =>
      partsFrom(['APPLICATION', 'PDF', null, null, null, 'BASE64', '1', null, ['attachment', params]])
        ?.filename ?? null
    const raw = { type: 'LITERAL', value: Buffer.from('r\u00e9sum\u00e9.pdf', 'utf8') }
    assert.equal(name(['FILENAME*', "utf-8''r%C3%A9sum%C3%A9.pdf"]), 'r\u00e9sum\u00e9.pdf')
    assert.equal(name(['filename*0*', "utf-8''r%C3%A9s", 'filename*1', 'ume.pdf']), 'r\u00e9sume.pdf')
    assert.equal(name(['FILENAME', '=?utf-8?b?csOpc3Vtw6kucGRm?=']), 'r\u00e9sum\u00e9.pdf')
    const literal = partsOf(
      ['APPLICATION', 'PDF', null, null, null, 'BASE64', '1', null]
        .map((shape) => token(shape))
        .concat([[token('attachment'), [token('filename'), raw]]]),
    )
    assert.equal(literal?.filename, 'r\u00e9sum\u00e9.pdf')
    const byType = partsFrom(['APPLICATION', 'PDF', ['NAME', 'b.pdf'], null, null, 'BASE64', '1'])
    assert.equal(byType?.filename, 'b.pdf')
  })

  test('check 54: names of object methods are names like any other', () => {
    const part = partsFrom([
      'TEXT',
      'PLAIN',
      ['__proto__', 'x', 'constructor', 'y'],
      null,
      null,
      null,
      '1',
      '1',
    ])
    assert.deepEqual(
      [...(part?.params ?? [])],
      [
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ],
    )
    assert.equal(part?.encoding, '7bit')
  })

  test('is null where the structure lies or would be too much', () => {
    const lies: readonly Shape[] = [
      null,
      'TEXT',
      [],
      ['TEXT'],
      [null, null],
      [text('PLAIN')],
      [text('PLAIN'), null, 'MIXED'],
      [[], 'MIXED'],
      [text('PLAIN'), ['TEXT'], 'MIXED'],
    ]
    for (const lie of lies) assert.equal(partsFrom(lie), null, JSON.stringify(lie))
    let deep: Shape = text('PLAIN')
    for (let depth = 0; depth < 80; depth++) deep = [deep, 'MIXED']
    assert.equal(partsFrom(deep), null)
    assert.equal(partsFrom([...Array.from({ length: 3_000 }, () => text('PLAIN')), 'MIXED']), null)
  })

  test('a size that is no number is unknown', () => {
    assert.equal(partsFrom(['TEXT', 'PLAIN', null, null, null, '7BIT', '-5', '1'])?.sizeBytes, null)
    assert.equal(partsFrom(['TEXT', 'PLAIN', null, null, null, '7BIT', '9'.repeat(40), '1'])?.sizeBytes, null)
  })
})
