import { rawText } from '@postern/mail'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListedFolder } from './folder-cache.ts'
import { folderRolesOf } from './folder-roles.ts'

function folder(path: string, ...attributes: string[]): ListedFolder {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return {
    folderId: path,
    path: rawText(path),
    name: rawText(name),
    delimiter: '/',
    attributes: attributes.map((a) => a.toUpperCase()),
  }
}

const rolesOf = (folders: readonly ListedFolder[], owner: Readonly<Record<string, string>> = {}): object =>
  Object.fromEntries(folderRolesOf(folders, owner))

test('roles come from the server where it names them, in whatever case', () => {
  const folders = [
    folder('INBOX'),
    folder('Zwei', '\\sent'),
    folder('Sent'),
    folder('Bin', '\\Trash'),
    folder('X', '\\Junk'),
  ]
  assert.deepEqual(rolesOf(folders), { INBOX: 'inbox', Zwei: 'sent', Bin: 'trash', X: 'spam' })
})

test('check 65: without SPECIAL-USE they come from the names that programs give, in many languages', () => {
  const folders = [
    folder('INBOX'),
    folder('Gesendet'),
    folder('[Gmail]', '\\Noselect'),
    folder('[Gmail]/Brouillons'),
    folder('INBOX/Corbeille'),
    folder('\u5783\u573e\u90ae\u4ef6'),
    folder('ARCHIV'),
    folder('Work'),
  ]
  assert.deepEqual(rolesOf(folders), {
    INBOX: 'inbox',
    Gesendet: 'sent',
    '[Gmail]/Brouillons': 'drafts',
    'INBOX/Corbeille': 'trash',
    '\u5783\u573e\u90ae\u4ef6': 'spam',
    ARCHIV: 'archive',
  })
})

test('what the owner said counts before a name, and after the server', () => {
  const folders = [folder('INBOX'), folder('Sent'), folder('Outgoing'), folder('Mull', '\\Trash')]
  assert.deepEqual(rolesOf(folders, { sent: 'Outgoing', trash: 'Sent', nonsense: 'Sent', drafts: 'Gone' }), {
    INBOX: 'inbox',
    Mull: 'trash',
    Outgoing: 'sent',
  })
})

test('a role belongs to one folder: the one nearest to the root', () => {
  const folders = [folder('Clients/Sent'), folder('Old/Archive'), folder('Sent'), folder('Sent Items')]
  assert.deepEqual(rolesOf(folders), { Sent: 'sent', 'Old/Archive': 'archive' })
})

test('a folder that cannot be opened has no role by its name', () => {
  assert.deepEqual(rolesOf([folder('Trash', '\\Noselect')]), {})
})
