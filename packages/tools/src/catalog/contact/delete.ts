import * as z from 'zod'
import { bookScope } from '../../contacts/book-scope.ts'
import { contactRecord } from '../../contacts/contact-row.ts'
import * as contactParams from '../../contacts/contact-params.ts'
import { contactOwn, recordOf } from '../../contacts/tell-written.ts'
import { defineWrite, type WriteInit } from '../../define-tool.ts'
import { untrusted } from '../../outputs.ts'

const deleteInput = z.strictObject({ contact_id: contactParams.contactId, block: contactParams.block })
const deletedOnce = z.strictObject({ removed: contactRecord, untrusted_content: untrusted })

/** Shared with `delete_contact`, which blocks nothing. */
export const removeContact = {
  effect: 'destroy',
  scopes: [['manage:contacts']],
  target: 'key',
  seconds: 25,
  input: deleteInput,
  own: contactOwn,
  once: deletedOnce,
  example: { contact_id: 'c_...' },
  async write({ contact_id: contactId, block }, context) {
    await context.write.enter('change')
    const card = await context.deps.book.delete(bookScope(context), contactId, { blocks: block })
    return {
      outcome: 'done',
      own: { contact_id: card.contactId },
      // All of it, however much: there is no other way back.
      once: { removed: recordOf(card), untrusted_content: true },
      items: [],
    }
  },
} as const satisfies Omit<
  WriteInit<typeof deleteInput, typeof contactOwn, typeof deletedOnce, z.ZodObject>,
  'action'
>

export const deleteContact = defineWrite({ action: 'delete', ...removeContact })
