import { updateContact } from '../catalog/contact/update.ts'
import { defineTool, defineWrite } from '../define-tool.ts'

export const updateContactTool = defineTool({
  name: 'update_contact',
  title: 'Update a contact',
  description: 'As contact update.',
  isIdempotent: false,
  isBulk: false,
  toolset: 'compat',
  actions: [defineWrite({ ...updateContact, action: null })],
})
