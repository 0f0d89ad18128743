import type { ContactCard } from '@postern/contacts'
import * as z from 'zod'
import { tokensOf } from '../budget.ts'
import type { Written } from '../define-tool.ts'
import { untrusted } from '../outputs.ts'
import { contactRecord, renderContact, renderDetails } from './contact-row.ts'
import { noLines } from './interaction-lines.ts'

/** Tokens of a record in the answer of a write. */
const maxRecordTokens = 600

type ContactRecord = z.input<typeof contactRecord>

/** What the ledger keeps of a change of a person. */
export const contactOwn = z.strictObject({ contact_id: z.string() })
/** The person as they are now; kept nowhere. */
export const contactOnce = z.strictObject({
  contact: contactRecord,
  truncated: z.literal(true).optional(),
  truncated_reason: z.string().optional(),
  untrusted_content: untrusted,
})

/** A person with all that is known of them, and no line of their mail. */
export function recordOf(card: ContactCard): ContactRecord {
  const view = { addressContext: 'any', query: null, lines: noLines, shown: 0 } as const
  return { ...renderContact(card, view), ...renderDetails(card) }
}

/** The answer to a change of one person, as large as a write may answer. */
export function tellContact(
  card: ContactCard,
): Written<z.input<typeof contactOwn>, z.input<typeof contactOnce>> {
  const whole = recordOf(card)
  const contact = fit(whole)
  return {
    outcome: 'done',
    own: { contact_id: card.contactId },
    once: {
      contact,
      ...(contact === whole
        ? {}
        : {
            truncated: true as const,
            truncated_reason:
              'Long lists and the note were shortened here; contact_search detailed shows all.',
          }),
      untrusted_content: true,
    },
    items: [],
  }
}

/** The note goes first, then the last items of the longest list. */
function fit(whole: ContactRecord): ContactRecord {
  let kept = whole
  if (tokensOf(kept) > maxRecordTokens) kept = { ...kept, note: null }
  while (tokensOf(kept) > maxRecordTokens) {
    const [name, list] =
      Object.entries(kept as Readonly<Record<string, unknown>>)
        .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 0)
        .toSorted(([, a], [, b]) => tokensOf(b) - tokensOf(a))[0] ?? []
    if (name === undefined || list === undefined) return kept
    kept = { ...kept, [name]: list.slice(0, -1) }
  }
  return kept
}
