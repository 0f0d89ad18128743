import { Fault, silentLog } from '@postern/core'
import { startScriptedImap, type Script, type ScriptedImap } from '@postern/fixtures'
import type { Call, Folder, FolderView } from '@postern/mail'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, test } from 'node:test'
import { createImapAdapter, createImapPool, FolderCache } from './index.ts'

const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

interface Bench {
  readonly server: ScriptedImap
  readonly list: (view?: FolderView, ms?: number) => Promise<readonly Folder[]>
}

async function bench(script: Script): Promise<Bench> {
  const server = await startScriptedImap(script)
  const pool = createImapPool({ allowPrivateHosts: true })
  const folders = new FolderCache()
  opened.push(server, pool, folders)
  const credential = {
    host: '127.0.0.1',
    port: server.port,
    tls: 'none',
    username: 'u',
    password: 'p',
  } as const
  const adapter = createImapAdapter({
    account: { inboxId: 'inbox-1', credentialVersion: 1, credential },
    pool,
    folders,
    ownerAddresses: [],
    folderRoles: {},
  })
  const callFor = (ms: number): Call => ({
    signal: new AbortController().signal,
    deadline: new Date(Date.now() + ms),
    log: silentLog,
  })
  return { server, list: (view = 'counted', ms = 20_000) => adapter.listFolders(view, callFor(ms)) }
}

type Answers = NonNullable<Script['on']>

/** Answers LIST with these lines, and STATUS with three messages of which one is unread. */
function listing(lines: readonly string[], more: Answers = {}): Answers {
  return {
    LIST: async (command, { send, ok }) => {
      await send(lines.map((line) => `* LIST ${line}\r\n`).join(''))
      await ok(command)
    },
    STATUS: async (command, { send, ok }) => {
      const name = command.args.slice(0, command.args.lastIndexOf(' ('))
      await send(`* STATUS ${name} (MESSAGES 3 UNSEEN 1)\r\n`)
      await ok(command)
    },
    ...more,
  }
}

describe('a listing of folders', () => {
  test('check 64: sends LIST and STATUS and nothing else: it never selects and never subscribes', async () => {
    const { server, list } = await bench({ on: listing(['() "/" INBOX', '() "/" Work']) })
    const folders = await list()
    assert.deepEqual(
      folders.map(({ path, total, unread }) => [path, total, unread]),
      [
        ['INBOX', 3, 1],
        ['Work', 3, 1],
      ],
    )
    const names = server.commands.map((line) => line.split(' ')[0])
    assert.deepEqual(
      names.filter((name) => name !== 'CAPABILITY' && name !== 'LOGIN' && name !== 'NAMESPACE'),
      ['LIST', 'STATUS', 'STATUS'],
    )
  })

  test('check 59: a folder that only holds others cannot be opened and is not counted', async () => {
    const { server, list } = await bench({
      on: listing(['(\\Noselect \\HasChildren) "/" "A"', '() "/" "A/B"', '(\\NonExistent) "/" C']),
    })
    assert.deepEqual(
      (await list()).map(({ path, isSelectable, total }) => [path, isSelectable, total]),
      [
        ['A', false, null],
        ['A/B', true, 3],
        ['C', false, null],
      ],
    )
    assert.equal(server.commands.filter((line) => line.startsWith('STATUS')).length, 1)
  })

  test('check 60: of ten thousand folders the first 200 are counted, the others are null, in time', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `f${String(index).padStart(5, '0')}`)
    const { list } = await bench({
      on: listing(names.map((name) => `() "/" ${name}`).concat('() "/" INBOX')),
    })
    const started = Date.now()
    const folders = await list()
    assert.ok(Date.now() - started < 5_500)
    assert.equal(folders.length, 10_001)
    assert.equal(folders[0]?.folderId, 'INBOX')
    assert.equal(folders.filter(({ total }) => total === 3).length, 200)
    assert.ok(folders.slice(200).every(({ total, unread }) => total === null && unread === null))
  })

  test('check 60: a server that counts slowly costs counts, not the listing', async () => {
    const { list } = await bench({
      on: listing(['() "/" INBOX', '() "/" A', '() "/" B'], {
        STATUS: async (command, { send, ok }) => {
          if (!command.args.includes('INBOX')) await sleep(60_000, undefined, { ref: false })
          await send('* STATUS INBOX (MESSAGES 5)\r\n')
          await ok(command)
        },
      }),
    })
    const started = Date.now()
    const folders = await list()
    assert.ok(Date.now() - started < 7_000)
    assert.deepEqual(
      folders.map(({ total, unread }) => [total, unread]),
      [
        [5, null],
        [null, null],
        [null, null],
      ],
    )
  })

  test('with LIST-STATUS counts come by the LIST, some dozens at a time', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `f${index}`)
    let isRefused = false
    const { server, list } = await bench({
      capabilities: 'NAMESPACE LIST-EXTENDED LIST-STATUS SPECIAL-USE',
      on: listing(
        names.map((name) => `() "/" ${name}`),
        {
          LIST: async (command, { send, ok }) => {
            if (!command.args.includes('STATUS'))
              await send(names.map((name) => `* LIST () "/" ${name}\r\n`).join(''))
            else if (isRefused) return send(`${command.tag} BAD what?\r\n`)
            else
              for (const [name] of command.args.matchAll(/f\d+/g))
                await send(`* STATUS ${name} (MESSAGES 9 UNSEEN 2)\r\n`)
            await ok(command)
          },
        },
      ),
    })
    assert.ok((await list()).every(({ total }) => total === 9))
    assert.deepEqual(
      server.commands.filter((line) => /^(?:LIST|STATUS)/.test(line)).map((line) => line.slice(0, 9)),
      ['LIST "" "', 'LIST "" (', 'LIST "" ('],
    )
    // Offered and not understood: each is asked for alone.
    isRefused = true
    assert.ok((await list()).every(({ total }) => total === 3))
  })

  test('check 61: names are shown decoded and kept exact, whatever their spelling', async () => {
    const { server, list } = await bench({
      on: listing([
        '() "/" INBOX',
        '() "/" "AT&-T"',
        '() "/" Entw&APw-rfe',
        '() "/" "&-broken&"',
        '() "/" "Say \\"hi\\" \\\\ now"',
        '() "/" {9}\r\nTwo words',
        '() "/" "50%*"',
        '() "/" 2024',
        '() "." "INBOX.Sub.&AOk-t&AOk-"',
        '() NIL Flat.Name',
        '() "/" NIL',
        '() "/" "trailing/"',
      ]),
    })
    const folders = await list()
    const shown = new Map(folders.map(({ folderId, name, path }) => [folderId, [name, path]]))
    assert.deepEqual(shown.get('AT&-T'), ['AT&T', 'AT&T'])
    assert.deepEqual(shown.get('Entw&APw-rfe'), ['Entw\u00fcrfe', 'Entw\u00fcrfe'])
    assert.deepEqual(shown.get('&-broken&'), ['&-broken&', '&-broken&'])
    assert.deepEqual(shown.get('Say "hi" \\ now'), ['Say "hi" \\ now', 'Say "hi" \\ now'])
    assert.deepEqual(shown.get('INBOX.Sub.&AOk-t&AOk-'), ['\u00e9t\u00e9', 'INBOX/Sub/\u00e9t\u00e9'])
    assert.deepEqual(shown.get('Flat.Name'), ['Flat.Name', 'Flat.Name'])
    assert.deepEqual(shown.get('NIL'), ['NIL', 'NIL'])
    assert.deepEqual(shown.get('trailing/'), ['trailing', 'trailing/'])
    assert.equal(folders.length, 12)
    // Every one of them was asked for as it is spelled.
    const asked = server.commands.filter((line) => line.startsWith('STATUS'))
    for (const spelled of [
      '"AT&-T"',
      '"&-broken&"',
      '"Say \\"hi\\" \\\\ now"',
      '"Two words"',
      '"50%*"',
      '"2024"',
    ]) {
      assert.ok(
        asked.some((line) => line.startsWith(`STATUS ${spelled} `)),
        spelled,
      )
    }
  })

  test('lines that are no folders are passed over, repeated ones count once', async () => {
    const { list } = await bench({
      on: listing(['() "/" INBOX', '() "/" INBOX', 'NIL NIL NIL', '()', '() "/" ("a")', '() "/" ""', 'x']),
    })
    assert.deepEqual(
      (await list()).map(({ folderId }) => folderId),
      ['INBOX'],
    )
  })

  test('that has no end is a failure, never a part that looks like the whole', async () => {
    const sent: Answers = {
      LIST: async (command, { send, ok }) => {
        for (let from = 0; from < 60_000; from += 2_000) {
          const lines = Array.from(
            { length: 2_000 },
            (_, index) => `* LIST () "/" f${String(from + index)}\r\n`,
          )
          await send(lines.join(''))
        }
        await ok(command)
      },
    }
    const { list } = await bench({ on: sent })
    await assert.rejects(list(), (error) => error instanceof Fault && error.code === 'provider_error')
  })

  test('passes over a name that is longer than any path', async () => {
    const { list } = await bench({
      on: listing(['() "/" INBOX', `() "/" "${'a/'.repeat(100_000)}b"`, `() "/" "${'a/'.repeat(400)}b"`]),
    })
    assert.deepEqual(
      (await list()).map(({ folderId }) => folderId.length),
      [5, 801],
    )
  })

  test('is remembered for a minute by whom that is enough, and made anew for everybody else', async () => {
    const { server, list } = await bench({ on: listing(['() "/" INBOX']) })
    const sent = (name: string): number => server.commands.filter((line) => line.startsWith(name)).length
    for (const view of ['known', 'known', 'now', 'known', 'counted', 'known'] as const) await list(view)
    assert.deepEqual([sent('LIST'), sent('STATUS')], [3, 1])
  })
})
