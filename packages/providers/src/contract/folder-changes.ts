import { Fault } from '@postern/core'
import type { Folder, FolderId, FolderOutcome, MessageRef } from '@postern/mail'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  callFor,
  faultOf,
  folderWithRole,
  keyOf,
  pageOf,
  seed,
  writeCallFor,
  type ContractMailbox,
  type MakeMailbox,
} from './mailbox.ts'
import { plain } from './messages.ts'

/** Names that every server takes, and names that some refuse. */
const oddNames: readonly { readonly name: string; readonly isOptional?: true }[] = [
  { name: 'R&D' },
  { name: 'Entw\u00fcrfe 2' },
  { name: '\u4f1a\u8bae\u8bb0\u5f55' },
  { name: 'Say "yes"', isOptional: true },
  { name: '10%', isOptional: true },
  { name: 'a*', isOptional: true },
  { name: 'back\\slash', isOptional: true },
  { name: '(x) {3}', isOptional: true },
]

function folderOf(outcome: FolderOutcome): Folder {
  assert.ok(outcome.status === 'done', 'nobody knows what became of it')
  return outcome.folder
}

/** Folders come, change their names and go, and no message is lost with one unless that was allowed. */
export function describeFolderChanges(make: MakeMailbox): void {
  describe('changing folders', () => {
    let mailbox: ContractMailbox
    let trash: FolderId = ''

    before(async () => {
      mailbox = await make()
      trash = await folderWithRole(mailbox, 'trash', 'Trash')
    })
    after(() => mailbox.close())

    const create = async (
      name: string,
      parentId: FolderId | null = null,
      call = writeCallFor(),
    ): Promise<Folder> => folderOf(await mailbox.adapter.saveFolder({ kind: 'create', parentId, name }, call))
    const rename = async (folderId: FolderId, newName: string, call = writeCallFor()): Promise<Folder> =>
      folderOf(await mailbox.adapter.saveFolder({ kind: 'rename', folderId, newName }, call))
    const remove = async (folderId: FolderId, mayDiscard: boolean, call = writeCallFor()): Promise<void> => {
      const { status } = await mailbox.adapter.deleteFolder({ folderId, mayDiscard }, call)
      assert.equal(status, 'done')
    }
    const listed = async (folderId: FolderId): Promise<Folder | undefined> =>
      (await mailbox.adapter.listFolders('counted', callFor())).find((folder) => folder.folderId === folderId)
    const isListed = async (folderId: FolderId): Promise<boolean> => (await listed(folderId)) !== undefined
    const rowsOf = async (folderId: FolderId): Promise<readonly { key: string; ref: MessageRef }[]> => {
      const page = await mailbox.adapter.listMessages(
        folderId,
        { isUnreadOnly: false },
        pageOf(50),
        callFor(),
      )
      return page.messages.map((row) => ({ key: keyOf(row), ref: row.message.ref }))
    }
    const takenBy =
      (folderId: FolderId) =>
      (error: unknown): boolean =>
        error instanceof Fault &&
        error.code === 'folder_name_taken' &&
        error.details['existing_folder_id'] === folderId
    /** The work is refused, and no folder or message is other than before. */
    const refuses = async (
      work: () => Promise<unknown>,
      expected: (error: unknown) => boolean,
      what?: string,
    ): Promise<void> => {
      const before = await mailbox.snapshot()
      await assert.rejects(work(), expected, what)
      assert.equal(await mailbox.snapshot(), before, what)
    }

    test('a folder is created empty, and listed under the id that was given', async () => {
      const folder = await create('Fresh')
      assert.deepEqual([folder.name, folder.role, folder.isSelectable], ['Fresh', null, true])
      const seen = await listed(folder.folderId)
      assert.deepEqual([seen?.name, seen?.path, seen?.total], ['Fresh', folder.path, 0])
    })

    test('a name that is taken is told with the id of the folder that has it', async () => {
      const { folderId } = await create('Taken')
      await refuses(() => create('Taken'), takenBy(folderId))
      const { folderId: other } = await create('Other')
      await refuses(() => rename(other, 'Taken'), takenBy(folderId))
    })

    test('check 67: a path makes the parents it lacks, below the parent that was named', async () => {
      const deep = await create('One/Two/Three')
      assert.ok(deep.path.endsWith('One/Two/Three'))
      const paths: string[] = (await mailbox.adapter.listFolders('now', callFor())).map(({ path }) => path)
      const above = deep.path.slice(0, -'/Three'.length)
      assert.ok(paths.includes(above) && paths.includes(above.slice(0, -'/Two'.length)))
      const below = await create('Four/Five', deep.folderId)
      assert.equal(below.path, `${deep.path}/Four/Five`)
      await refuses(() => create('x', 'No Such Folder'), faultOf('folder_not_found'))
    })

    test('check 67: INBOX is nobody\u2019s to create, in any case', async () => {
      for (const name of ['INBOX', 'inbox', 'Inbox']) {
        const isReserved = (error: unknown): boolean =>
          error instanceof Fault &&
          error.code === 'folder_name_reserved' &&
          Array.isArray(error.details['reserved_names']) &&
          error.details['reserved_names'].includes('INBOX')
        await refuses(() => create(name), isReserved, name)
      }
    })

    test('check 61: odd names come back as they were given, and such folders take messages and new names', async () => {
      for (const [index, { name, isOptional = false }] of oddNames.entries()) {
        const made = await create(name).then(
          (folder) => folder,
          (error: unknown) => {
            assert.ok(isOptional && faultOf('folder_provider_error')(error), name)
            return null
          },
        )
        if (made === null) continue
        assert.equal(made.name, name)
        const key = `oddly${String(index)}`
        await seed(mailbox, made.folderId, [plain({ key })])
        assert.deepEqual(
          (await rowsOf(made.folderId)).map((row) => row.key),
          [key],
          name,
        )
        const renamed = await rename(made.folderId, `Plain ${String(index)}`)
        const again = await rename(renamed.folderId, name)
        assert.deepEqual([again.name, again.folderId], [name, made.folderId])
      }
    })

    test('what is no name is refused: empty levels, line breaks, controls, half of a character', async () => {
      for (const name of [
        '',
        '/',
        'a//b',
        '/a',
        'a/',
        'a\r\nb',
        'a\u0000',
        'a\u0085b',
        'a\u2028b',
        '\ud800',
      ]) {
        await refuses(() => create(name), faultOf('invalid_arguments'), JSON.stringify(name))
      }
    })

    test('two spellings of one name are one folder', async () => {
      const { folderId, name } = await create('Cafe\u0301')
      assert.equal(name, 'Caf\u00e9')
      await refuses(() => create('Caf\u00e9'), takenBy(folderId))
    })

    test('a renamed folder keeps its messages under their old ids, and what lies below goes along', async () => {
      const old = await create('Before')
      const child = await create('Inner', old.folderId)
      await seed(mailbox, old.folderId, [plain({ key: 'stays' })])
      await seed(mailbox, child.folderId, [plain({ key: 'inside' })])
      const rows = [...(await rowsOf(old.folderId)), ...(await rowsOf(child.folderId))]

      const renamed = await rename(old.folderId, 'After')
      assert.equal(renamed.name, 'After')
      assert.deepEqual([await isListed(old.folderId), await isListed(child.folderId)], [false, false])
      assert.deepEqual(
        (await rowsOf(renamed.folderId)).map(({ key }) => key),
        ['stays'],
      )
      const folders = await mailbox.adapter.listFolders('now', callFor())
      const moved = folders.find(({ path }) => path === `${renamed.path}/Inner`)
      const found = await mailbox.adapter.getMessages(
        rows.map(({ ref }) => ref),
        callFor(),
      )
      assert.deepEqual(
        found.map((item) => item.isFound && item.value.folderId),
        [renamed.folderId, moved?.folderId],
      )
      await refuses(() => rename(old.folderId, 'Again'), faultOf('folder_not_found'))
    })

    test('a folder that is named as it is called already stays as it is', async () => {
      const { folderId } = await create('Same')
      const before = await mailbox.snapshot()
      assert.equal((await rename(folderId, 'Same')).folderId, folderId)
      assert.equal(await mailbox.snapshot(), before)
    })

    test('a folder goes nowhere below itself', async () => {
      const { folderId } = await create('Loop')
      await refuses(() => rename(folderId, 'Loop/In'), faultOf('invalid_arguments'))
    })

    test('a folder with a role keeps its name and is not deleted', async () => {
      const isReserved = faultOf('folder_name_reserved')
      for (const folderId of ['INBOX', trash]) {
        await refuses(() => rename(folderId, 'Elsewhere'), isReserved, folderId)
        await refuses(() => remove(folderId, true), isReserved, folderId)
      }
    })

    test('check 68: a folder with mail in it is deleted only for who may discard mail, an empty one for anybody', async () => {
      const { folderId: empty } = await create('Empty')
      await remove(empty, false)
      assert.equal(await isListed(empty), false)

      const { folderId } = await create('Filled')
      await seed(mailbox, folderId, [plain({ key: 'doomed' })])
      const [row] = await rowsOf(folderId)
      await refuses(() => remove(folderId, false), faultOf('insufficient_scope'))
      await remove(folderId, true)
      assert.equal(await isListed(folderId), false)
      const [found] = await mailbox.adapter.getMessages([row?.ref ?? assert.fail('no row')], callFor())
      assert.equal(found?.isFound, false)
    })

    test('a folder with folders below it is not deleted, and neither is one that is not there', async () => {
      const { folderId } = await create('Trunk')
      const { folderId: leaf } = await create('Leaf', folderId)
      await refuses(() => remove(folderId, true), faultOf('folder_name_reserved'))
      await remove(leaf, false)
      await remove(folderId, false)
      await refuses(() => remove(folderId, true), faultOf('folder_not_found'))
    })

    test('of ten that create one folder at the same time, one has made it, and the others are told', async () => {
      const ends = await Promise.allSettled(Array.from({ length: 10 }, () => create('Once')))
      const made = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.folderId] : []))
      assert.equal(made.length, 1)
      for (const end of ends)
        if (end.status === 'rejected') assert.ok(faultOf('folder_name_taken')(end.reason))
    })

    test('stopped before its point of no return, or over before it began, a change has changed nothing', async () => {
      const { folderId } = await create('Still')
      const over = new AbortController()
      over.abort(new RangeError('gone'))
      const calls = [
        { call: writeCallFor('change'), expected: faultOf('operation_in_progress') },
        {
          call: writeCallFor(null, callFor(60, over.signal)),
          expected: (error: unknown) => error instanceof RangeError,
        },
        { call: writeCallFor(null, callFor(-1)), expected: faultOf('timeout') },
      ]
      for (const { call, expected } of calls) {
        await refuses(() => create('Never/Made', null, call), expected)
        await refuses(() => rename(folderId, 'Moved', call), expected)
        await refuses(() => remove(folderId, true, call), expected)
      }
    })
  })
}
