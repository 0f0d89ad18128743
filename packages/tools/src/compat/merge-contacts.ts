import { joinContacts } from '../catalog/contact/merge.ts'
import { defineTool, defineWrite } from '../define-tool.ts'

export const mergeContactsTool = defineTool({
  name: 'merge_contacts',
  title: 'Merge contacts',
  description: 'As contact merge.',
  isIdempotent: false,
  isBulk: false,
  toolset: 'compat',
  actions: [defineWrite({ ...joinContacts, action: null })],
})
