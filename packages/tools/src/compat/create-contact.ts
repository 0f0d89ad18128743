import { createContact, createInput } from '../catalog/contact/create.ts'
import { defineTool, defineWrite } from '../define-tool.ts'

export const createContactTool = defineTool({
  name: 'create_contact',
  title: 'Create a contact',
  description: 'As contact create.',
  isIdempotent: false,
  isBulk: false,
  toolset: 'compat',
  actions: [
    defineWrite({
      ...createContact,
      action: null,
      input: createInput.omit({ preferred_email: true }),
      write: (input, context) => createContact.write(input, context),
    }),
  ],
})
