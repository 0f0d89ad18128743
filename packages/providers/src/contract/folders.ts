import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { callFor, keyOf, pageOf, search, seed, type ContractMailbox, type MakeMailbox } from './mailbox.ts'
import { plain } from './messages.ts'

interface OddName {
  readonly name: string
  /** As it goes over the wire, where that is no proper spelling of the name. */
  readonly spelling?: string
  /** Characters that some servers allow in no name. */
  readonly isOptional?: true
}

const names: readonly OddName[] = [
  { name: 'AT&T' },
  { name: 'Entw\u00fcrfe' },
  { name: 'Two words' },
  { name: '\u4f1a\u8bae' },
  { name: 'Say "hello"', isOptional: true },
  { name: '50%_off', isOptional: true },
  { name: 'back\\slash', isOptional: true },
  { name: '&-broken&', spelling: '&-broken&', isOptional: true },
]

export function describeFolders(make: MakeMailbox): void {
  describe('folders', () => {
    let mailbox: ContractMailbox
    before(async () => {
      mailbox = await make()
    })
    after(() => mailbox.close())

    test('the inbox comes first and is selectable', async () => {
      const [first] = await mailbox.adapter.listFolders('counted', callFor())
      assert.equal(first?.role, 'inbox')
      assert.equal(first?.isSelectable, true)
      assert.equal(first?.total, 0)
    })

    test('check 61: odd names are listed, searched and read under exactly the id that the listing gave', async () => {
      for (const [index, { name, spelling, isOptional = false }] of names.entries()) {
        const made = await mailbox.addFolder([name], spelling)
        if (made === null && isOptional) continue
        assert.ok(made !== null, `${name} can be made`)
        const key = `odd${String(index)}`
        await seed(mailbox, made, [plain({ key })])
        const folders = await mailbox.adapter.listFolders('counted', callFor())
        const listed = folders.find(({ folderId }) => folderId === made)
        assert.ok(listed, `${name} is listed`)
        if (spelling === undefined) assert.equal(listed.name, name)
        assert.equal(listed.total, 1, name)

        const page = await mailbox.adapter.listMessages(made, { isUnreadOnly: false }, pageOf(5), callFor())
        assert.deepEqual(page.messages.map(keyOf), [key], name)
        const query = { criterion: { kind: 'all' }, folderIds: [made] } as const
        const hits = await mailbox.adapter.searchMessages(query, pageOf(5), callFor())
        assert.deepEqual(hits.messages.map(keyOf), [key], name)
        assert.equal(hits.messages[0]?.message.folderId, made)
      }
    })

    test('check 62: folders with the same last level differ in path', async () => {
      for (const levels of [
        ['Work', 'Bills'],
        ['Home', 'Bills'],
      ])
        assert.ok(await mailbox.addFolder(levels))
      const folders = await mailbox.adapter.listFolders('known', callFor())
      const paths = folders.filter(({ name }) => name === 'Bills').map(({ path }) => path)
      assert.equal(paths.length, 2)
      assert.equal(new Set(paths).size, 2)
      assert.ok(paths.some((path) => path.endsWith('Work/Bills')))
    })

    test('a folder without counts says null, never 0', async () => {
      const folders = await mailbox.adapter.listFolders('known', callFor())
      assert.ok(folders.every(({ total, isSelectable }) => isSelectable || total === null))
      const counted = await mailbox.adapter.listFolders('counted', callFor())
      assert.ok(counted.filter(({ isSelectable }) => isSelectable).every(({ total }) => total !== null))
    })

    test('a name that only resembles another folder finds nothing of it', async () => {
      const folders = await mailbox.adapter.listFolders('known', callFor())
      const bills = folders.find(({ path }) => path.endsWith('Work/Bills'))
      const page = await search(mailbox, `in:"${bills?.path ?? ''}"`)
      assert.equal(page.messages.length, 0)
      assert.equal(page.total, 0)
    })
  })
}
