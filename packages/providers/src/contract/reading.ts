import { Fault } from '@postern/core'
import {
  chooseBody,
  findHeader,
  readMessageFields,
  walkParts,
  type FolderId,
  type Message,
  type MessageRef,
  type Part,
} from '@postern/mail'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { callFor, drain, keyOf, pageOf, seed, type ContractMailbox, type MakeMailbox } from './mailbox.ts'
import { attachment, multipart, octets, plain, textPart } from './messages.ts'

const everyOctet = Uint8Array.from({ length: 1024 }, (_, index) => index % 256)
const large = Uint8Array.from({ length: 300_000 }, (_, index) => (index * index) % 251)

const quotedPrintable = 'https://x.example/?x=3Ded12 and 50% =E2=82=AC'
const nested = ['Subject: Inner', 'From: inner@contract.example', '', 'Inner text.']

/** Messages as nobody should write them; each is one of its folder, so that it can be told apart without an id. */
const broken: readonly (readonly [name: string, raw: string])[] = [
  ['headers only', 'Subject: nothing follows\n\n'],
  ['no headers', '\nJust a body.\n'],
  ['no colon in a header', 'Subject: broken\nThis is no header\nFrom: a@contract.example\n\nBody.\n'],
  ['unclosed multipart', 'Content-Type: multipart/mixed; boundary="b"\nSubject: open\n\n--b\n\nText.\n'],
  ['multipart without boundary', 'Content-Type: multipart/mixed\nSubject: none\n\nText.\n'],
  ['names of object methods', '__proto__: x\nConstructor: y\nSubject: proto\n\nBody.\n'],
  ['broken date', 'Date: not a date at all\nSubject: date\n\nBody.\n'],
  ['broken address', 'From: <<<,;:@\nTo: "unclosed <x@y\nSubject: address\n\nBody.\n'],
  ['bad base64', 'Content-Transfer-Encoding: base64\nSubject: bad\n\n@@@@====!!!!\n'],
  ['unknown charset', 'Content-Type: text/plain; charset=klingon\nSubject: charset\n\nqapla\n'],
]

export function describeReading(make: MakeMailbox): void {
  describe('reading', () => {
    let mailbox: ContractMailbox
    let byKey: ReadonlyMap<string, MessageRef>

    const refOf = (key: string): MessageRef => byKey.get(key) ?? assert.fail(`no message ${key}`)
    const read = async (ref: MessageRef): Promise<Message> => {
      const [found] = await mailbox.adapter.getMessages([ref], callFor())
      return found?.isFound ? found.value : assert.fail('the message was not found')
    }
    const partOf = (tree: Part | null, type: string): Part =>
      (tree === null ? undefined : walkParts(tree).find((part) => part.type === type)) ??
      assert.fail(`no part ${type}`)
    const contentOf = async (
      ref: MessageRef,
      { id, encoding }: Part,
      maxBytes = 1_000_000,
    ): Promise<Uint8Array> => {
      const [content] = await mailbox.adapter.readParts(ref, [{ partId: id, encoding, maxBytes }], callFor())
      return content?.content ?? assert.fail('no content')
    }
    const streamOf = async (ref: MessageRef, part: Part | 'original'): Promise<Uint8Array> => {
      const asked = part === 'original' ? part : { partId: part.id, encoding: part.encoding }
      const stream = await mailbox.adapter.openPart(ref, asked, callFor())
      return drain(stream.octets)
    }

    before(async () => {
      mailbox = await make()
      await seed(mailbox, 'INBOX', [
        plain({ key: 'simple', body: 'One line.' }),
        plain({
          key: 'quoted',
          headers: ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'],
          body: quotedPrintable,
        }),
        plain({ key: 'raw8', subject: 'Gr\u00fc\u00dfe roh', body: 'Z\u00fcrich \u4f1a\u8bae' }),
        plain({
          key: 'words',
          subject: '=?utf-8?b?5Lya?==?utf-8?b?6K6u?=',
          from: '=?iso-8859-1?Q?J=FCrgen?= <jm@contract.example>, "Doe, Jane" <jane@contract.example>',
        }),
        multipart({ key: 'files' }, 'mixed', [
          textPart('See the files.'),
          attachment('application/octet-stream', 'every.bin', everyOctet),
          attachment('application/zip', 'large.zip', large),
          { headers: ['Content-Type: text/plain; name="notes.txt"'], lines: ['A text that is a file.'] },
          { headers: ['Content-Type: message/rfc822'], lines: nested },
        ]),
        multipart({ key: 'nested' }, 'mixed', [
          {
            headers: ['Content-Type: multipart/alternative; boundary="inner"'],
            lines: [
              '--inner',
              'Content-Type: text/plain',
              '',
              'Plain.',
              '--inner',
              'Content-Type: text/html',
              '',
              '<b>Html.</b>',
              '--inner--',
            ],
          },
          textPart('Second text.'),
        ]),
      ])
      const page = await mailbox.adapter.listMessages(
        'INBOX',
        { isUnreadOnly: false },
        pageOf(100),
        callFor(),
      )
      byKey = new Map(page.messages.map((row) => [keyOf(row), row.message.ref]))
    })
    after(() => mailbox.close())

    test('check 104: messages come in the order asked, one missing one beside the others', async () => {
      const absent: MessageRef = { locator: new Uint8Array(refOf('simple').locator.length).fill(7) }
      const foreign: MessageRef = { locator: new Uint8Array(randomBytes(26)) }
      const refs = [
        refOf('words'),
        absent,
        refOf('simple'),
        foreign,
        { locator: new Uint8Array(0) },
        refOf('words'),
      ]
      const found = await mailbox.adapter.getMessages(refs, callFor())
      assert.deepEqual(
        found.map(({ isFound }) => isFound),
        [true, false, true, false, false, true],
      )
      assert.deepEqual(
        found.map(({ ref }) => ref),
        refs,
      )
      for (const item of found) if (!item.isFound) assert.equal(item.fault.code, 'message_not_found')
      assert.deepEqual(await mailbox.adapter.getMessages([], callFor()), [])
    })

    test('a stale or foreign ref is message_not_found for every verb that takes one', async () => {
      const isNotFound = (error: unknown): boolean =>
        error instanceof Fault && error.code === 'message_not_found'
      const ref: MessageRef = { locator: new Uint8Array(randomBytes(26)) }
      const part = { partId: '1', encoding: '7bit', maxBytes: 10 }
      await assert.rejects(mailbox.adapter.readParts(ref, [part], callFor()), isNotFound)
      await assert.rejects(
        mailbox.adapter.openPart(ref, 'original', callFor()).then(({ octets }) => drain(octets)),
        isNotFound,
      )
    })

    test('check 95: row and full read of a message agree', async () => {
      const page = await mailbox.adapter.listMessages(
        'INBOX',
        { isUnreadOnly: false },
        pageOf(100),
        callFor(),
      )
      for (const { message: row } of page.messages) {
        const full = await read(row.ref)
        const [fromRow, fromFull] = [readMessageFields(row.headers), readMessageFields(full.headers)]
        assert.deepEqual(
          [fromRow.subject, fromRow.from, fromRow.to, fromRow.rfcMessageId],
          [fromFull.subject, fromFull.from, fromFull.to, fromFull.rfcMessageId],
        )
        const files = ({ tree }: Message): unknown =>
          tree && chooseBody(tree).attachments.map(({ filename, mimeType }) => [filename, mimeType])
        assert.deepEqual(files(row), files(full))
        assert.deepEqual(row.flags, full.flags)
        assert.deepEqual(row.receivedAt, full.receivedAt)
      }
    })

    test('checks 92, 94: header text is decoded from the octets, whatever form it has', async () => {
      const raw8 = readMessageFields((await read(refOf('raw8'))).headers)
      assert.equal(raw8.subject, 'Gr\u00fc\u00dfe roh')
      const words = readMessageFields((await read(refOf('words'))).headers)
      assert.equal(words.subject, '\u4f1a\u8bae')
      assert.deepEqual(
        words.from.map(({ name, email }) => [name, email]),
        [
          ['J\u00fcrgen', 'jm@contract.example'],
          ['Doe, Jane', 'jane@contract.example'],
        ],
      )
    })

    test('check 89: quoted-printable is decoded exactly once', async () => {
      const message = await read(refOf('quoted'))
      const content = await contentOf(refOf('quoted'), partOf(message.tree, 'text/plain'))
      assert.equal(
        Buffer.from(content).toString('utf8').trimEnd(),
        'https://x.example/?x=ed12 and 50% \u20ac',
      )
    })

    test('check 91: raw 8-bit bodies keep their octets', async () => {
      const message = await read(refOf('raw8'))
      const content = await contentOf(refOf('raw8'), partOf(message.tree, 'text/plain'))
      assert.equal(Buffer.from(content).toString('utf8').trimEnd(), 'Z\u00fcrich \u4f1a\u8bae')
    })

    test('check 96: an attachment of all octets comes octet for octet, read or streamed', async () => {
      const { tree } = await read(refOf('files'))
      const part = partOf(tree, 'application/octet-stream')
      assert.equal(part.filename, 'every.bin')
      assert.deepEqual(new Uint8Array(await contentOf(refOf('files'), part)), everyOctet)
      assert.deepEqual(new Uint8Array(await streamOf(refOf('files'), part)), everyOctet)
      assert.deepEqual(new Uint8Array(await streamOf(refOf('files'), partOf(tree, 'application/zip'))), large)
    })

    test('a part is read up to the octets asked for, and says that it goes on', async () => {
      const { tree } = await read(refOf('files'))
      const { id, encoding } = partOf(tree, 'application/zip')
      const ask = async (maxBytes: number): Promise<readonly [number, boolean]> => {
        const [part] = await mailbox.adapter.readParts(
          refOf('files'),
          [{ partId: id, encoding, maxBytes }],
          callFor(),
        )
        assert.deepEqual(new Uint8Array(part?.content ?? []), large.subarray(0, maxBytes))
        return [part?.content.length ?? -1, part?.isCut ?? false]
      }
      assert.deepEqual(await ask(1_000), [1_000, true])
      assert.deepEqual(await ask(large.length), [large.length, false])
      assert.deepEqual(await ask(large.length + 1), [large.length, false])
    })

    test('several parts of a message come in the order asked', async () => {
      const { tree } = await read(refOf('nested'))
      assert.ok(tree)
      const { parts } = chooseBody(tree)
      const asked = parts
        .map(({ part }) => ({ partId: part.id, encoding: part.encoding, maxBytes: 1_000 }))
        .reverse()
      const contents = await mailbox.adapter.readParts(refOf('nested'), asked, callFor())
      assert.deepEqual(
        contents.map(({ partId }) => partId),
        asked.map(({ partId }) => partId),
      )
      assert.deepEqual(
        contents.map(({ content }) => Buffer.from(content).toString('utf8').trimEnd()),
        ['Second text.', 'Plain.'],
      )
      assert.deepEqual(await mailbox.adapter.readParts(refOf('nested'), [], callFor()), [])
    })

    test('checks 97, 98: files and attached messages are parts of the tree that the body leaves out', async () => {
      const { tree } = await read(refOf('files'))
      assert.ok(tree)
      const { parts, attachments } = chooseBody(tree)
      assert.deepEqual(
        parts.map(({ part }) => part.id),
        ['1'],
      )
      assert.deepEqual(
        attachments.map(({ mimeType }) => mimeType),
        ['application/octet-stream', 'application/zip', 'text/plain', 'message/rfc822'],
      )
      const inner = partOf(tree, 'message/rfc822')
      assert.deepEqual(inner.children, [])
      assert.match(
        Buffer.from(await streamOf(refOf('files'), inner)).toString('latin1'),
        /^Subject: Inner\r\n/,
      )
    })

    test('the original is the stored message, octet for octet', async () => {
      const message = plain({ key: 'simple', body: 'One line.' })
      assert.deepEqual(
        new Uint8Array(await streamOf(refOf('simple'), 'original')),
        new Uint8Array(message.raw),
      )
    })

    test('checks 54, 93: a broken message is listed and read like any other, beside its neighbours', async () => {
      const folderId: FolderId | null = await mailbox.addFolder(['Broken'])
      assert.ok(folderId)
      const stored: string[] = []
      for (const [name, raw] of broken) if (await mailbox.append(folderId, octets(raw))) stored.push(name)
      await seed(mailbox, folderId, [plain({ key: 'whole' })])
      const page = await mailbox.adapter.listMessages(
        folderId,
        { isUnreadOnly: false },
        pageOf(100),
        callFor(),
      )
      assert.equal(page.messages.length, stored.length + 1)
      const messages = await mailbox.adapter.getMessages(
        page.messages.map(({ message }) => message.ref),
        callFor(),
      )
      for (const [index, item] of messages.toReversed().entries()) {
        const name = stored[index] ?? 'whole'
        assert.ok(item.isFound, name)
        const tree = item.value.tree ?? assert.fail(`${name}: no tree`)
        const asked = chooseBody(tree).parts.map(({ part }) => ({
          partId: part.id,
          encoding: part.encoding,
          maxBytes: 1_000,
        }))
        await mailbox.adapter.readParts(item.value.ref, asked, callFor())
      }
      const proto = messages.find(
        (item) => item.isFound && findHeader(item.value.headers, 'subject')?.trim() === 'proto',
      )
      assert.ok(proto?.isFound)
    })

    test('check 103: a message that was moved is found by its old ref, with its new folder and ref', async () => {
      const target = await mailbox.addFolder(['Moved'])
      assert.ok(target)
      const old = refOf('words')
      await mailbox.move('words', 'INBOX', target)
      // RFC 3501 7.4.1: until it looks again, a connection may be shown what another client has moved away.
      await mailbox.adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(1), callFor())
      const moved = await read(old)
      assert.equal(moved.folderId, target)
      assert.equal(readMessageFields(moved.headers).subject, '\u4f1a\u8bae')
      assert.notDeepEqual(moved.ref, old)
      assert.equal((await read(moved.ref)).folderId, target)
      const content = await contentOf(old, partOf(moved.tree, 'text/plain'))
      assert.match(Buffer.from(content).toString('utf8'), /^Body of words\./)
    })
  })
}
