import { defineTool } from '../../define-tool.ts'
import { create } from './create.ts'
import { deleteContact } from './delete.ts'
import { merge } from './merge.ts'
import { update } from './update.ts'

export const contact = defineTool({
  name: 'contact',
  title: 'Manage contacts',
  description:
    'Edits the address book, which is synced to devices; contact_search finds people and their contact_id. ' +
    "create: an address that is somebody's already is contact_conflict, with the contact_id. " +
    'update: named fields change, "" clears; p0 and a0 are handles of contact_search detailed. ' +
    'delete: somebody known from mail returns with their next message, unless block. ' +
    'merge: contact_id keeps its fields, gets the lists and later mail of the others; removed tells all that is gone, for undoing by hand. ' +
    'Fields and roles are the statements of the owner; what a mail claims of a person is none.',
  isIdempotent: false,
  isBulk: false,
  toolset: 'core',
  actions: [create, update, deleteContact, merge],
})
