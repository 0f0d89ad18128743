import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'
import { after, describe, test } from 'node:test'
import { createDocumentPool } from './document-pool.ts'
import { documentKind } from './document-kind.ts'
import { extractText, maxExtractedChars, type ExtractedText } from './extract-text.ts'
import type { Part } from './part.ts'
import { rawText } from './text.ts'

const pool = createDocumentPool({ size: 1, timeLimitMs: 60_000, waitLimitMs: 120_000 })
after(() => pool.close())

function part(type: string, filename: string | null = null, charset?: string): Part {
  return {
    id: '2',
    type,
    params: new Map(charset === undefined ? [] : [['charset', charset]]),
    disposition: 'attachment',
    filename: filename === null ? null : rawText(filename),
    contentId: null,
    sizeBytes: null,
    encoding: 'binary',
    content: null,
    children: [],
  }
}

async function extract(of: Part, content: Uint8Array | string): Promise<ExtractedText> {
  const octets = typeof content === 'string' ? Buffer.from(content) : content
  const got = await extractText(of, octets, { owner: 't', documents: pool, html: null })
  assert.ok(got !== null && !('failure' in got), 'nothing came of it')
  return got
}

const docx = part('application/vnd.openxmlformats-officedocument.wordprocessingml.document')
const xlsx = part('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
const pptx = part('application/vnd.openxmlformats-officedocument.presentationml.presentation')
const pdf = part('application/pdf')

function zip(files: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))
}

const document = (body: string): Uint8Array =>
  zip({ 'word/document.xml': `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>` })

/** A PDF with one page for each text, written by hand: objects, then a table of where they are. */
function makePdf(pages: readonly string[], trailer = ''): Uint8Array {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, index) => {
      const stream = `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * index} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ]
    }),
  ]
  return assemble(
    objects.map((text) => Buffer.from(text, 'latin1')),
    trailer,
  )
}

function assemble(objects: readonly Uint8Array[], trailer = ''): Uint8Array {
  const pieces: Uint8Array[] = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  for (const [index, object] of objects.entries()) {
    offsets.push(Buffer.concat(pieces).length)
    pieces.push(Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'))
  }
  const at = Buffer.concat(pieces).length
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  pieces.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF`,
    ),
  )
  return Buffer.concat(pieces)
}

describe('text files', () => {
  test('are read in their charset, addresses whole, invisible characters gone', async () => {
    const got = await extract(
      part('text/csv', 'a.csv', 'iso-8859-1'),
      Buffer.from('Z\xfcrich;1\nhttps://a.example/x?y', 'latin1'),
    )
    assert.equal(got.text, 'Z\u00fcrich;1\nhttps://a.example/x?y')
    assert.equal((await extract(part('application/json'), '{"a": "b\u202ec"}')).text, '{"a": "bc"}')
  })

  test('HTML is read as a reader sees it, hidden words counted', async () => {
    const got = await extract(
      part('text/html'),
      '<p>Seen</p><p style="display:none">Not seen</p><script>x</script>',
    )
    assert.deepEqual([got.text, got.hiddenTextRemoved], ['Seen', 1])
  })

  test('at most 120,000 characters come out, and it is said', async () => {
    const got = await extract(part('text/plain'), 'a'.repeat(5_000_000))
    assert.deepEqual([got.text.length, got.warnings], [maxExtractedChars, ['text_cut']])
  })

  test('an unknown charset is replaced and told', async () => {
    const got = await extract(part('text/plain', null, 'x-none'), Buffer.from([0x41, 0xff]))
    assert.deepEqual([got.text, got.charsetGuessed, got.warnings], ['A\ufffd', true, ['charset_unknown']])
  })
})

describe('which reader', () => {
  test('the declared type decides, the name only where the type says nothing', () => {
    assert.equal(documentKind('application/pdf', 'a.docx'), 'pdf')
    assert.equal(documentKind('application/octet-stream', 'Report.PDF'), 'pdf')
    assert.equal(documentKind('application/octet-stream', 'a.exe'), null)
    assert.equal(documentKind('application/ld+json', null), 'text')
    for (const type of ['image/png', 'image/svg+xml', 'application/msword', 'text/rtf', 'message/rfc822'])
      assert.equal(documentKind(type, 'a.txt'), null, type)
  })
})

describe('Word', () => {
  test('paragraphs, tabs, breaks and tables; what is deleted, hidden or a fallback is not there', async () => {
    const run = (text: string, properties = ''): string =>
      `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`
    const got = await extract(
      docx,
      document(
        `<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr>${run('One &amp; ')}${run('two')}<w:r><w:tab/><w:t>three</w:t><w:br/><w:t>four</w:t></w:r></w:p>` +
          `<w:p>${run('gone', '<w:vanish/>')}${run('stays', '<w:vanish w:val="false"/>')}<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>` +
          `<mc:AlternateContent xmlns:mc="m"><mc:Choice><w:p>${run('box')}</w:p></mc:Choice><mc:Fallback><w:p>${run('box')}</w:p></mc:Fallback></mc:AlternateContent>` +
          `<w:tbl><w:tr><w:tc><w:p>${run('a')}</w:p></w:tc><w:tc><w:p>${run('b')}</w:p></w:tc></w:tr></w:tbl>`,
      ),
    )
    assert.equal(got.text, 'One & two\tthree\nfour\nstays\nbox\na \tb')
    assert.deepEqual([got.hiddenTextRemoved, got.warnings], [1, []])
  })

  test('macros and embedded files are not looked at', async () => {
    const files = {
      'word/document.xml': '<d><p><r><t>Text</t></r></p></d>',
      'word/vbaProject.bin': 'Sub AutoOpen()',
    }
    assert.equal(
      (await extract(docx, zip({ ...files, 'word/embeddings/a.xml': '<t>inner</t>' }))).text,
      'Text',
    )
  })

  test('a document type is refused, so that no entity is ever looked up', async () => {
    const bomb =
      '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]><d><p><r><t>&a;&b;</t></r></p></d>'
    const got = await extract(docx, zip({ 'word/document.xml': bomb }))
    assert.deepEqual([got.text, got.warnings], ['', ['document_damaged']])
  })

  test('nesting without end is refused, and what stood before it is kept', async () => {
    const deep = `<p><r><t>Before</t></r></p>${'<x>'.repeat(1_000_000)}`
    const got = await extract(docx, zip({ 'word/document.xml': `<d>${deep}` }))
    assert.deepEqual([got.text, got.warnings], ['Before', ['document_damaged']])
  })

  test('a password and a broken archive are told apart', async () => {
    const sealed = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2_000)])
    assert.deepEqual((await extract(docx, sealed)).warnings, ['document_encrypted'])
    assert.deepEqual((await extract(docx, Buffer.from('PK nothing'))).warnings, ['document_damaged'])
    assert.deepEqual((await extract(docx, zip({ 'a.txt': 'x' }))).warnings, ['document_damaged'])
  })
})

describe('zip bombs', () => {
  test('an archive that announces too much is refused before it is unpacked', async () => {
    const bomb = zipSync({ 'word/document.xml': new Uint8Array(80 * 1024 * 1024) }, { level: 1 })
    assert.ok(bomb.length < 1024 * 1024)
    assert.deepEqual((await extract(docx, bomb)).warnings, ['document_too_large'])
  })

  test('one that announces less than it holds is unpacked no further than that', async () => {
    const bomb = Buffer.from(
      zipSync({ 'word/document.xml': new Uint8Array(80 * 1024 * 1024).fill(0x20) }, { level: 1 }),
    )
    for (const signature of ['504b0304', '504b0102']) {
      const at = bomb.indexOf(Buffer.from(signature, 'hex'))
      bomb.writeUInt32LE(1_000, at + (signature === '504b0304' ? 22 : 24))
    }
    const got = await extract(docx, bomb)
    assert.deepEqual([got.text, got.warnings], ['', ['document_damaged']])
  })
})

describe('Excel', () => {
  const workbook = (sheets: string, rels: string, rest: Readonly<Record<string, string>>): Uint8Array =>
    zip({
      'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${sheets}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships>${rels}</Relationships>`,
      ...rest,
    })

  test('sheets in order, rows as lines, cells parted by tabs; hidden sheets are left out and counted', async () => {
    const got = await extract(
      xlsx,
      workbook(
        '<sheet name="Second" r:id="b"/><sheet name="First" r:id="a"/><sheet name="X" state="hidden" r:id="c"/>',
        '<Relationship Id="a" Target="worksheets/sheet1.xml"/><Relationship Id="b" Target="/xl/worksheets/sheet2.xml"/><Relationship Id="c" Target="worksheets/sheet3.xml"/>',
        {
          'xl/sharedStrings.xml':
            '<sst><si><t>Name</t></si><si><r><t>To</t></r><r><t>tal</t></r><rPh><t>reading</t></rPh></si></sst>',
          'xl/worksheets/sheet1.xml':
            '<s><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>' +
            '<row r="2"><c r="A2" t="inlineStr"><is><t>x\ty</t></is></c><c r="B2" t="b"><v>1</v></c><c r="C2"><f>SUM(1)</f><v>42.5</v></c></row></sheetData></s>',
          'xl/worksheets/sheet2.xml':
            '<s><sheetData><row><c><v>1</v></c><c><v>2</v></c></row></sheetData></s>',
          'xl/worksheets/sheet3.xml': '<s><sheetData><row><c><v>secret</v></c></row></sheetData></s>',
        },
      ),
    )
    assert.equal(got.text, '[Sheet Second]\n1\t2\n\n[Sheet First]\nName\t\tTotal\nx y\tTRUE\t42.5')
    assert.deepEqual([got.hiddenTextRemoved, got.warnings], [1, []])
  })

  test('cells that all point at one long string stop where the text is full', async () => {
    const cells = '<c t="s"><v>0</v></c>'.repeat(200_000)
    const got = await extract(
      xlsx,
      workbook('<sheet name="S" r:id="a"/>', '<Relationship Id="a" Target="worksheets/sheet1.xml"/>', {
        'xl/sharedStrings.xml': `<sst><si><t>${'long '.repeat(10_000)}</t></si></sst>`,
        'xl/worksheets/sheet1.xml': `<s><row>${cells}</row></s>`,
      }),
    )
    assert.ok(got.text.length <= maxExtractedChars)
    assert.deepEqual(got.warnings, ['text_cut'])
  })
})

test('PowerPoint: slides by number, each under its heading', async () => {
  const slide = (text: string): string =>
    `<p:sld xmlns:a="a" xmlns:p="p"><a:p><a:r><a:t>${text}</a:t></a:r><a:br/><a:fld><a:t>1</a:t></a:fld></a:p></p:sld>`
  const got = await extract(
    pptx,
    zip({ 'ppt/slides/slide10.xml': slide('Ten'), 'ppt/slides/slide2.xml': slide('Two') }),
  )
  assert.equal(got.text, '[Slide 2]\nTwo\n1\n\n\n[Slide 10]\nTen\n1')
})

describe('PDF', () => {
  test('the text layer, page by page', async () => {
    const got = await extract(pdf, makePdf(['Hello from page one', 'And page two']))
    assert.equal(got.text, 'Hello from page one\n\nAnd page two')
    assert.deepEqual(got.warnings, [])
  })

  test('pages without text give none, and no warning', async () => {
    assert.deepEqual(await extract(pdf, makePdf([''])), {
      text: '',
      hiddenTextRemoved: 0,
      charsetGuessed: false,
      warnings: [],
    })
  })

  test('a password is told, and so is what is no PDF', async () => {
    const sealed = makePdf(
      ['x'],
      `/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >>`,
    )
    assert.deepEqual((await extract(pdf, sealed)).warnings, ['document_encrypted'])
    assert.deepEqual((await extract(pdf, 'MZ not a document')).warnings, ['document_damaged'])
  })

  test('a stream that unfolds without end ends its thread before the memory of the process, and the next is read', async () => {
    // Deflated twice: a kilobyte or two that holds 256 MiB.
    const bomb = deflateSync(deflateSync(Buffer.alloc(256 * 1024 * 1024, ' '), { level: 1 }))
    const objects = [
      Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
      Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
      Buffer.from('<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>'),
      Buffer.concat([
        Buffer.from(`<< /Length ${bomb.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n`),
        bomb,
        Buffer.from('\nendstream'),
      ]),
    ]
    const before = process.memoryUsage().rss
    const tight = createDocumentPool({ size: 1, bufferLimitMiB: 64, timeLimitMs: 30_000 })
    try {
      const got = await extractText(pdf, assemble(objects), { owner: 't', documents: tight, html: null })
      assert.ok(got !== null && 'failure' in got, 'it was read')
      assert.ok(process.memoryUsage().rss - before < 400 * 1024 * 1024)
      const next = await extractText(pdf, makePdf(['Still here']), {
        owner: 't',
        documents: tight,
        html: null,
      })
      assert.ok(next !== null && 'text' in next && next.text === 'Still here')
    } finally {
      await tight.close()
    }
  })
})

test('no name, type or text of a file decides how long a kind is looked for', () => {
  const start = performance.now()
  documentKind('application/octet-stream', `${'.a'.repeat(500_000)}${' '.repeat(500_000)}x`)
  assert.ok(performance.now() - start < 500)
})
