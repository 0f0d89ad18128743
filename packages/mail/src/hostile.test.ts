import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readHostileFields, readHostileMail, type HostileMail } from '@postern/fixtures'
import { readAuthentication } from './authenticity.ts'
import { chooseBody, type BodyPart } from './choose-body.ts'
import { fence, makeBoundary } from './fence.ts'
import { readMessageFields } from './message-fields.ts'
import { parseMime } from './parse-mime.ts'
import { renderBody, type BodyContent, type RenderedBody } from './render-body.ts'
import { rawText, type CleanText } from './text.ts'
import { cleanLine } from './untrusted.ts'

// Joiners and selectors have their uses; where they may stand is tested with the sanitiser.
const invisible =
  /[\u{34f}\p{Bidi_Control}\p{Noncharacter_Code_Point}\0-\x08\x0b-\x1f\x7f-\x9f\u{ad}\u{200b}\u{2060}\u{3164}\u{feff}\u{e0000}-\u{e0fff}]/u
const imageSyntax = /!\[|<img/i

function contentOf({ part, kind }: BodyPart): BodyContent {
  return { part, kind, content: part.content ?? new Uint8Array(), isCut: false, isDamaged: false }
}

async function read(octets: Uint8Array): Promise<RenderedBody> {
  const chosen = chooseBody(parseMime(octets).tree)
  const htmlParts = chosen.htmlParts.map((part) => contentOf({ part, kind: 'html' }))
  return renderBody({ parts: chosen.parts.map(contentOf), htmlParts }, { links: 'hosts', pool: null })
}

function shortFields({ octets }: HostileMail): readonly CleanText[] {
  const { headers, tree } = parseMime(octets)
  const fields = readMessageFields(headers)
  const people = [...fields.from, ...fields.to, ...fields.replyTo].flatMap(({ name, email }) => [name, email])
  const filenames = chooseBody(tree).attachments.map(({ filename }) => filename)
  return [fields.subject, fields.date, ...people, ...filenames]
    .filter((text) => text !== null)
    .map((text) => cleanLine(text))
}

for (const mail of readHostileMail()) {
  const { why, body, fields, authentication } = mail.expected
  describe(`${mail.name}: ${why}`, () => {
    test('nothing invisible and no image leaves in any field (checks 49 and 50)', async () => {
      const { text, html } = await read(mail.octets)
      for (const field of [text, ...shortFields(mail)]) {
        assert.doesNotMatch(field, invisible)
        assert.doesNotMatch(field, imageSyntax)
      }
      assert.doesNotMatch(html ?? '', invisible)
      assert.doesNotMatch(
        html ?? '',
        /!\[|<[^>]*(?:\bsrc\b|\bon\w+=|javascript:|data:)|<(?:style|script|svg|iframe)/i,
      )
    })

    test('only our own fence is a fence (check 47)', async () => {
      const boundary = makeBoundary()
      const lines = fence((await read(mail.octets)).text, boundary).split('\n')
      assert.equal(lines.filter((line) => /\[\s*\/?\s*untrusted/i.test(line)).length, 2)
      assert.equal(lines.at(-1), `[/untrusted ${boundary}]`)
    })

    if (body !== undefined) {
      test('the body is what its reader would see (check 50)', async () => {
        const rendered = await read(mail.octets)
        assert.equal(rendered.source, body.source)
        for (const words of body.has ?? []) assert.ok(rendered.text.includes(words), `misses ${words}`)
        for (const words of body.lacks ?? []) {
          assert.ok(!rendered.text.includes(words), `holds ${words}`)
        }
        assert.equal(rendered.hiddenTextRemoved, body.hiddenTextRemoved ?? rendered.hiddenTextRemoved)
        assert.deepEqual(rendered.warnings, body.warnings ?? [])
      })
    }

    if (fields !== undefined) {
      test('short fields are one clean line', () => {
        const { headers, tree } = parseMime(mail.octets)
        const { subject, from } = readMessageFields(headers)
        const filenames = chooseBody(tree).attachments.map(({ filename }) =>
          cleanLine(filename ?? rawText('')),
        )
        if (fields.subject !== undefined) assert.equal(cleanLine(subject), fields.subject)
        if (fields.from !== undefined) assert.equal(cleanLine(from[0]?.name ?? rawText('')), fields.from)
        if (fields.filenames !== undefined) assert.deepEqual(filenames, fields.filenames)
      })
    }

    if (authentication !== undefined) {
      test('only the receiving server vouches for a sender (check 51)', () => {
        const { trusted, ...expected } = authentication
        assert.deepEqual(readAuthentication(parseMime(mail.octets).headers, trusted), expected)
      })
    }
  })
}

for (const { field, raw, clean } of readHostileFields()) {
  test(`${field} leaves clean (check 49)`, () => {
    assert.equal(cleanLine(rawText(raw)), clean)
  })
}
