import { cleanLine, rawText } from '@postern/mail'
import * as z from 'zod'
import { fitItems } from '../../budget.ts'
import { bookScope } from '../../contacts/book-scope.ts'
import { contactRecord } from '../../contacts/contact-row.ts'
import * as contactParams from '../../contacts/contact-params.ts'
import { contactOnce, contactOwn, recordOf, tellContact } from '../../contacts/tell-written.ts'
import { defineWrite, type WriteInit } from '../../define-tool.ts'
import { cleanText } from '../../outputs.ts'

/** Tokens that the removed records may take, and the conflicts. */
const maxRemovedTokens = 14_000
const maxConflictTokens = 2_000

const mergeInput = z.strictObject({
  contact_id: contactParams.contactId,
  merge_contact_ids: contactParams.mergeContactIds,
})
const mergedOnce = contactOnce.extend({
  conflicts: z.array(z.strictObject({ field: z.string(), kept: cleanText, other: cleanText })),
  removed: z.array(contactRecord),
})

/** Shared with `merge_contacts`. */
export const joinContacts = {
  effect: 'destroy',
  scopes: [['manage:contacts']],
  target: 'key',
  seconds: 25,
  input: mergeInput,
  own: contactOwn,
  once: mergedOnce,
  example: { contact_id: 'c_...', merge_contact_ids: ['c2_...'] },
  async write({ contact_id: contactId, merge_contact_ids: others }, context) {
    await context.write.enter('change')
    const merged = await context.deps.book.merge(bookScope(context), contactId, others)
    const written = tellContact(merged.card)
    const told = (text: string): ReturnType<typeof cleanLine> => cleanLine(rawText(text))
    const conflicts = merged.conflicts.map(({ field, kept, other }) => ({
      field,
      kept: told(kept),
      other: told(other),
    }))
    const removed = merged.removed.map(recordOf)
    const kept = fitItems(removed, maxRemovedTokens)
    if (kept.length < removed.length)
      context.note(`removed holds the first ${kept.length} of ${removed.length} records; all were merged.`)
    const shown = fitItems(conflicts, maxConflictTokens)
    if (shown.length < conflicts.length)
      context.note(
        `conflicts holds the first ${shown.length} of ${conflicts.length}; removed has the values.`,
      )
    return {
      ...written,
      once: {
        contact: written.once?.contact ?? recordOf(merged.card),
        ...(written.once?.truncated === true
          ? { truncated: true as const, truncated_reason: written.once.truncated_reason }
          : {}),
        untrusted_content: true,
        conflicts: [...shown],
        removed: [...kept],
      },
    }
  },
} as const satisfies Omit<
  WriteInit<typeof mergeInput, typeof contactOwn, typeof mergedOnce, z.ZodObject>,
  'action'
>

export const merge = defineWrite({ action: 'merge', ...joinContacts })
