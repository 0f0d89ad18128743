import { Fault, silentLog } from '@postern/core'
import {
  answerFrom,
  startScriptedImap,
  type Script,
  type ScriptedImap,
  type ScriptedMailbox,
  type ScriptedMessage,
} from '@postern/fixtures'
import { walkParts, type Call, type MailAdapter, type MessageRef } from '@postern/mail'
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { createImapAdapter, createImapPool, FolderCache } from './index.ts'

const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

function call(ms = 10_000): Call {
  return { signal: new AbortController().signal, deadline: new Date(Date.now() + ms), log: silentLog }
}

interface Bench {
  readonly server: ScriptedImap
  readonly folders: Record<string, ScriptedMailbox>
  /** A new adapter on the same pool: what the one before has compared, it has not. */
  readonly adapter: () => MailAdapter
  readonly refOf: (uid: number) => Promise<MessageRef>
  readonly commands: () => readonly string[]
}

/** Several folders behind one server: EXAMINE decides whose messages the next commands are about. */
async function bench(folders: Record<string, ScriptedMailbox>, script: Script = {}): Promise<Bench> {
  let selected: ScriptedMailbox = { uidValidity: 0, messages: [] }
  const current: ScriptedMailbox = {
    get uidValidity() {
      return selected.uidValidity
    },
    get messages() {
      return selected.messages
    },
  }
  const answers = answerFrom(current)
  const server = await startScriptedImap({
    ...script,
    on: {
      ...answers,
      LIST: async (command, { send, ok }) => {
        await send(
          Object.keys(folders)
            .map((name) => `* LIST () "/" ${name}\r\n`)
            .join(''),
        )
        await ok(command)
      },
      EXAMINE: async (command, connection) => {
        const wanted = folders[command.args.replaceAll('"', '')]
        if (wanted === undefined) return connection.send(`${command.tag} NO [NONEXISTENT] none\r\n`)
        selected = wanted
        await answers['EXAMINE']?.(command, connection)
      },
      ...script.on,
    },
  })
  const pool = createImapPool({ allowPrivateHosts: true, maxPerInbox: 1 })
  const cache = new FolderCache()
  opened.push(server, pool, cache)
  const credential = {
    host: '127.0.0.1',
    port: server.port,
    tls: 'none',
    username: 'u',
    password: 'p',
  } as const
  const adapter = (): MailAdapter =>
    createImapAdapter({
      account: { inboxId: 'inbox-1', credentialVersion: 1, credential },
      pool,
      folders: cache,
      ownerAddresses: [],
      folderRoles: {},
    })
  return {
    server,
    folders,
    adapter,
    refOf: async (uid) => {
      const page = await adapter().listMessages(
        'INBOX',
        { isUnreadOnly: false },
        { limit: 100, offset: 0, after: null },
        call(),
      )
      server.commands.splice(0)
      const row = page.messages.find(({ anchor }) => Buffer.from(anchor.tie, 'hex').readUInt32BE(10) === uid)
      return row?.message.ref ?? assert.fail(`no message ${uid}`)
    },
    commands: () => server.commands.splice(0).filter((line) => /^(?:UID |EXAMINE|LIST|NOOP)/.test(line)),
  }
}

const upTo = (count: number): ScriptedMessage[] =>
  Array.from({ length: count }, (_, index) => ({ uid: index + 1 }))
const box = (messages: ScriptedMessage[], uidValidity = 7): ScriptedMailbox => ({ uidValidity, messages })

/** The same folder, with other messages: what another client did to it. */
function become(folders: Record<string, ScriptedMailbox>, name: string, mailbox: ScriptedMailbox): void {
  Object.assign(folders[name] ?? assert.fail(`no folder ${name}`), mailbox)
}

async function folderOf(adapter: MailAdapter, ref: MessageRef): Promise<string> {
  const [found] = await adapter.getMessages([ref], call())
  return found?.isFound ? found.value.folderId : (found?.fault.code ?? 'nothing')
}

describe('a message', () => {
  test('in its place costs one FETCH, without LIST, SEARCH or another EXAMINE', async () => {
    const { adapter, refOf, commands } = await bench({ INBOX: box(upTo(5)) })
    const refs = [await refOf(3), await refOf(1)]
    const found = await adapter().getMessages(refs, call())
    assert.ok(found.every(({ isFound }) => isFound))
    const [fetch, ...more] = commands()
    assert.match(
      fetch ?? '',
      /^UID FETCH 1,3 \(UID FLAGS INTERNALDATE RFC822\.SIZE BODYSTRUCTURE BODY\.PEEK\[HEADER\.FIELDS \(.*Authentication-Results/,
    )
    assert.deepEqual(more, [])
  })

  test('check 103: that was moved is found by what it is, and comes with its new id', async () => {
    const { adapter, folders, refOf } = await bench({
      INBOX: box(upTo(5)),
      Archive: box([{ uid: 9, id: 'other' }], 8),
    })
    const old = await refOf(3)
    become(folders, 'INBOX', box(upTo(5).filter(({ uid }) => uid !== 3)))
    folders['Archive']?.messages.push({
      uid: 12,
      id: '3@scripted.example',
      receivedAt: new Date(Date.UTC(2026, 0, 1) + 3 * 60_000),
    })
    const [found] = await adapter().getMessages([old], call())
    assert.ok(found?.isFound)
    assert.equal(found.value.folderId, 'Archive')
    assert.notDeepEqual(found.value.ref, old)
    assert.equal(await folderOf(adapter(), found.value.ref), 'Archive')
  })

  test('check 103: is found again after its folder was renamed or rebuilt', async () => {
    const { adapter, folders, refOf } = await bench({ INBOX: box(upTo(5)) })
    const old = await refOf(3)
    become(
      folders,
      'INBOX',
      box(
        [{ uid: 41, id: '3@scripted.example', receivedAt: new Date(Date.UTC(2026, 0, 1) + 3 * 60_000) }],
        99,
      ),
    )
    const [found] = await adapter().getMessages([old], call())
    assert.ok(found?.isFound)
    assert.deepEqual([found.value.folderId, found.value.ref.locator.length], ['INBOX', 26])
  })

  test('whose UID was given to another one is not that other one', async () => {
    const { adapter, folders, refOf } = await bench({ INBOX: box(upTo(5)), Trash: box([]) })
    const old = await refOf(3)
    become(
      folders,
      'INBOX',
      box(upTo(5).map((message) => (message.uid === 3 ? { ...message, id: 'impostor' } : message))),
    )
    assert.equal(await folderOf(adapter(), old), 'message_not_found')
    const part = { partId: '1', encoding: '7bit', maxBytes: 100 }
    for (const verb of [
      adapter().readParts(old, [part], call()),
      adapter().openPart(old, part, call()),
      adapter().openPart(old, 'original', call()),
    ]) {
      await assert.rejects(verb, (error) => error instanceof Fault && error.code === 'message_not_found')
    }
  })

  test('the copy with the same internal date is preferred to another with the same Message-ID', async () => {
    const { adapter, folders, refOf } = await bench({ INBOX: box(upTo(5)), A: box([]), B: box([]) })
    const old = await refOf(3)
    const receivedAt = new Date(Date.UTC(2026, 0, 1) + 3 * 60_000)
    become(folders, 'INBOX', box([]))
    become(
      folders,
      'A',
      box([{ uid: 5, id: '3@scripted.example', receivedAt: new Date(receivedAt.getTime() + 7_200_000) }]),
    )
    assert.equal(await folderOf(adapter(), old), 'A')
    become(folders, 'B', box([{ uid: 6, id: '3@scripted.example', receivedAt }]))
    assert.equal(await folderOf(adapter(), old), 'B')
  })

  test('check 104: one that is gone is told beside the others, and costs one walk for all', async () => {
    const { adapter, folders, refOf, commands } = await bench({
      INBOX: box(upTo(5)),
      Sent: box([{ uid: 1, id: 'other' }]),
    })
    const refs = [await refOf(1), await refOf(2), await refOf(3)]
    become(folders, 'INBOX', box([{ uid: 2 }]))
    commands()
    const found = await adapter().getMessages(refs, call())
    assert.deepEqual(
      found.map((item) => (item.isFound ? 'found' : item.fault.code)),
      ['message_not_found', 'found', 'message_not_found'],
    )
    assert.equal(commands().filter((line) => line.startsWith('UID SEARCH')).length, 2)
  })

  test('is searched for in the days around its internal date, whatever the zone of the server', async () => {
    const { adapter, folders, refOf, commands } = await bench({
      INBOX: box([{ uid: 1, receivedAt: new Date('2026-03-01T00:30:00Z') }]),
      Old: box(upTo(1)),
    })
    const old = await refOf(1)
    become(folders, 'INBOX', box([]))
    await folderOf(adapter(), old)
    assert.ok(commands().includes('UID SEARCH SINCE 28-Feb-2026 BEFORE 3-Mar-2026'))
  })

  test('a folder that fails while it is looked for is told, not taken for an absence', async () => {
    const { adapter, folders, refOf } = await bench(
      { INBOX: box(upTo(2)), Sent: box(upTo(1)) },
      { on: { 'UID SEARCH': ({ tag }, { send }) => send(`${tag} NO [SERVERBUG] disk\r\n`) } },
    )
    const old = await refOf(2)
    become(folders, 'INBOX', box([{ uid: 1 }]))
    assert.equal(await folderOf(adapter(), old), 'provider_unavailable')
  })

  test('that the server no longer has is no error when it says NO to the FETCH', async () => {
    const { adapter, refOf } = await bench(
      { INBOX: box(upTo(2)) },
      { on: { 'UID FETCH': ({ tag }, { send }) => send(`${tag} NO No matching messages\r\n`) } },
    )
    assert.equal(await folderOf(adapter(), await refOf(2)), 'message_not_found')
  })

  test('whose structure cannot be read is taken apart here', async () => {
    const { adapter, refOf } = await bench({ INBOX: box([{ uid: 1, structure: '("TEXT")' }]) })
    const [found] = await adapter().getMessages([await refOf(1)], call())
    assert.ok(found?.isFound)
    assert.equal(found.value.tree?.type, 'text/plain')
    assert.equal(Buffer.from(found.value.tree.content ?? []).toString(), 'Body 1')
  })

  test('whose structure makes its whole line unreadable is taken apart here, and never passes for gone', async () => {
    const broken = upTo(2).map((message) => ({ ...message, structure: '("TEXT" ("PLAIN" NIL' }))
    const { adapter, refOf } = await bench({ INBOX: box(broken) })
    const found = await adapter().getMessages([await refOf(1), await refOf(2)], call())
    assert.deepEqual(
      found.map((item) => item.isFound && Buffer.from(item.value.tree?.content ?? []).toString()),
      ['Body 1', 'Body 2'],
    )
  })

  test('whose structure contradicts its header is taken apart here: the header is the sender\u2019s', async () => {
    const header = [
      'Message-ID: <1@scripted.example>',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'First',
      '--b',
      'Content-Type: application/pdf; name=a.pdf',
      '',
      'x',
      '--b--',
      '',
    ].join('\r\n')
    const block = header.slice(0, header.indexOf('\r\n\r\n') + 4)
    const { adapter, refOf } = await bench({
      INBOX: box([
        {
          uid: 1,
          line: (sequence, { args }) =>
            args.includes('BODY.PEEK[]')
              ? `* ${sequence} FETCH (UID 1 BODY[]<0> {${header.length}}\r\n${header})`
              : `* ${sequence} FETCH (UID 1 FLAGS () INTERNALDATE "01-Jan-2026 00:00:00 +0000" RFC822.SIZE 9 ` +
                'BODYSTRUCTURE ("TEXT" "PLAIN" NIL NIL NIL "7BIT" 90 9) ' +
                `BODY[HEADER.FIELDS (x)] {${block.length}}\r\n${block})`,
        },
      ]),
    })
    const [found] = await adapter().getMessages([await refOf(1)], call())
    assert.ok(found?.isFound)
    const { tree } = found.value
    assert.deepEqual(
      tree?.children.map(({ id, type, content }) => [id, type, content === null]),
      [
        ['1', 'text/plain', false],
        ['2', 'application/pdf', true],
      ],
    )
  })

  test('brings its first text along when that is short, decoded, in the same round trip', async () => {
    const leaf = (type: string, encoding: string): string =>
      `("TEXT" "${type}" NIL NIL NIL "${encoding}" 9 1 NIL NIL NIL NIL)`
    const file = '("IMAGE" "PNG" NIL NIL NIL "BASE64" 9 NIL NIL NIL NIL)'
    const text = 'Gr\u00fc\u00dfe'
    const encoded = Buffer.from(text).toString('base64')
    const long = 'x'.repeat(40_000)
    const { adapter, refOf, commands } = await bench({
      INBOX: box([
        { uid: 1, structure: leaf('PLAIN', 'BASE64'), sections: { '1': encoded } },
        {
          uid: 2,
          structure: `((${leaf('PLAIN', 'BASE64')}${leaf('HTML', '7BIT')} "ALTERNATIVE")${file} "MIXED")`,
          sections: { '1': '--inner\r\n', '1.1': encoded },
        },
        { uid: 3, structure: leaf('PLAIN', '7BIT'), sections: { '1': long } },
        { uid: 4, structure: file, sections: { '1': encoded } },
        { uid: 5, structure: leaf('PLAIN', 'BASE64'), sections: { '1': 'R3L?' } },
      ]),
    })
    const textOf = async (uid: number): Promise<string | null> => {
      const ref = await refOf(uid)
      commands()
      const [found] = await adapter().getMessages([ref], call())
      assert.equal(commands().length, 1)
      assert.ok(found?.isFound && found.value.tree !== null)
      const contents = [...walkParts(found.value.tree)].flatMap(({ content }) =>
        content === null ? [] : [content],
      )
      assert.ok(contents.length <= 1)
      return contents[0] === undefined ? null : Buffer.from(contents[0]).toString()
    }
    assert.deepEqual(
      [await textOf(1), await textOf(2), await textOf(3), await textOf(4), await textOf(5)],
      [text, text, null, null, null],
    )
  })

  test('whose structure breaks the answer of a batch does not hide the others', async () => {
    const bomb = `(${'("TEXT" "PLAIN" NIL NIL NIL "7BIT" 1 1)'.repeat(30_000)} "MIXED")`
    const { adapter, refOf } = await bench({
      INBOX: box(upTo(3).map((message) => (message.uid === 2 ? { ...message, structure: bomb } : message))),
    })
    const refs = [await refOf(1), await refOf(2), await refOf(3)]
    const found = await adapter().getMessages(refs, call())
    assert.deepEqual(
      found.map((item) => item.isFound && [item.value.tree?.type, item.value.tree?.content === null]),
      [
        ['text/plain', false],
        ['text/plain', false],
        ['text/plain', false],
      ],
    )
  })

  test('92: a file name that lost octets on the way is read again from the header of its part', async () => {
    const name = Buffer.from([0x46, 0x72, 0xf6, 0x73, 0x63, 0x68, 0x65])
    const structure = `("APPLICATION" "PDF" NIL NIL NIL "BASE64" 4 NIL ("ATTACHMENT" ("FILENAME" "${name.toString('latin1')}")))`
    const header = `Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="${name.toString('latin1')}"\r\n\r\n`
    const { adapter, refOf } = await bench({
      INBOX: box([
        {
          uid: 1,
          structure,
          sections: { '1.MIME': header },
        },
      ]),
    })
    const [found] = await adapter().getMessages([await refOf(1)], call())
    assert.ok(found?.isFound)
    assert.equal(found.value.tree?.filename, 'Fr\u00f6sche')
  })
})

describe('parts', () => {
  const request = { partId: '1', encoding: '7bit', maxBytes: 1_000 }

  test('of a message that was just fetched cost one FETCH of exactly those sections', async () => {
    const { adapter, refOf, commands } = await bench({ INBOX: box(upTo(5)) })
    const ref = await refOf(3)
    const mail = adapter()
    await mail.getMessages([ref], call())
    commands()
    const [part] = await mail.readParts(ref, [request, { ...request, maxBytes: 10 }], call())
    assert.deepEqual(
      [Buffer.from(part?.content ?? []).toString(), part?.isCut, part?.isDamaged],
      ['Body 3', false, false],
    )
    assert.deepEqual(commands(), ['UID FETCH 3 (UID RFC822.SIZE BODY.PEEK[1]<0.1001>)'])
  })

  test('never ask for a word that would mean another section', async () => {
    const { adapter, refOf, commands } = await bench({ INBOX: box(upTo(1)) })
    const ref = await refOf(1)
    const odd = ['TEXT', 'HEADER', '1.MIME', '1] BODY[', '', '1.', 'a']
    const parts = await adapter().readParts(
      ref,
      odd.map((partId) => ({ ...request, partId })),
      call(),
    )
    assert.ok(parts.every(({ content, isDamaged }) => content.length === 0 && isDamaged))
    assert.ok(commands().every((line) => !/TEXT|MIME|\] BODY/.test(line)))
    await assert.rejects(adapter().openPart(ref, { partId: 'HEADER', encoding: '7bit' }, call()), Fault)
  })

  test('a server that sends more than was asked for is cut off', async () => {
    const flood = 'x'.repeat(5_000_000)
    const { adapter, refOf } = await bench({
      INBOX: box([
        {
          uid: 1,
          line: (sequence, { args }) =>
            args.includes('BODYSTRUCTURE')
              ? `* ${sequence} FETCH (UID 1)`
              : `* ${sequence} FETCH (UID 1 BODY[1]<0> {${flood.length}}\r\n${flood})`,
        },
      ]),
    })
    await assert.rejects(
      adapter().readParts(await refOf(1), [request], call()),
      (error) => error instanceof Fault && error.code === 'provider_error',
    )
  })
})

describe('a stream', () => {
  test('of the original is read piece by piece, and ends where the message does', async () => {
    const whole = Buffer.alloc(1_300_000, 'x')
    const pieces: string[] = []
    const { adapter, refOf, server } = await bench(
      { INBOX: box(upTo(1)) },
      {
        on: {
          'UID FETCH': async (command, { send, ok }) => {
            const range = /BODY\.PEEK\[\]<(\d+)\.(\d+)>/.exec(command.args)
            const from = Number(range?.[1])
            pieces.push(range?.[1] ?? '')
            const piece = whole.subarray(from, from + Number(range?.[2]))
            await send('* 1 FETCH (UID 1 RFC822.SIZE 1300000 INTERNALDATE "01-Jan-2026 00:01:00 +0000" ')
            await send('BODY[HEADER.FIELDS (x)] {32}\r\nMessage-ID: <1@scripted.example> ')
            await send(`BODY[]<${from}> {${piece.length}}\r\n`)
            await send(piece)
            await send(')\r\n')
            await ok(command)
          },
        },
      },
    )
    const ref = await refOf(1)
    const stream = await adapter().openPart(ref, 'original', call())
    assert.equal(stream.sizeBytes, 1_300_000)
    assert.equal(pieces.length, 1)
    let length = 0
    for await (const chunk of stream.octets) length += chunk.length
    assert.equal(length, whole.length)
    assert.deepEqual(pieces, ['0', '524288', '1048576'])
    assert.equal(server.open(), 1)
  })

  test('of a message that goes away in the middle ends with an error, never as if it were whole', async () => {
    const piece = Buffer.alloc(524_288, 'x')
    const { adapter, refOf } = await bench(
      { INBOX: box(upTo(1)) },
      {
        on: {
          'UID FETCH': async (command, { send, ok }) => {
            if (command.args.includes('<0.')) {
              await send('* 1 FETCH (UID 1 INTERNALDATE "01-Jan-2026 00:01:00 +0000" RFC822.SIZE 9 ')
              await send('BODY[HEADER.FIELDS (x)] {32}\r\nMessage-ID: <1@scripted.example> ')
              await send(`BODY[1]<0> {${piece.length}}\r\n`)
              await send(piece)
              await send(')\r\n')
            }
            await ok(command)
          },
        },
      },
    )
    const ref = await refOf(1)
    const stream = await adapter().openPart(ref, { partId: '1', encoding: '8bit' }, call())
    await assert.rejects(
      async () => {
        for await (const chunk of stream.octets) assert.ok(chunk.length > 0)
      },
      (error) => error instanceof Fault && error.code === 'message_not_found',
    )
  })
})
