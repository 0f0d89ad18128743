import { removeContact } from '../catalog/contact/delete.ts'
import { defineTool, defineWrite } from '../define-tool.ts'

export const deleteContactTool = defineTool({
  name: 'delete_contact',
  title: 'Delete a contact',
  description: 'As contact delete without block: somebody known from mail returns with their next message.',
  isIdempotent: false,
  isBulk: false,
  toolset: 'compat',
  actions: [
    defineWrite({
      ...removeContact,
      action: null,
      input: removeContact.input.omit({ block: true }),
      write: (input, context) => removeContact.write({ ...input, block: false }, context),
    }),
  ],
})
