import * as z from 'zod'
import { parseAddrSpec } from './addr-spec.ts'

const maxEntries = 1_000

/**
 * Who may be written to. A list holds addresses and domains (`@acme.example`, without their subdomains); an empty one
 * allows nobody.
 */
export type RecipientRule =
  | { readonly kind: 'anyone' | 'same_domain' | 'known_correspondents' | 'thread_participants' }
  | { readonly kind: 'list'; readonly entries: readonly string[] }

/** An entry that no address can match would be a rule that its owner thinks to have and has not. */
function isEntry(text: string): boolean {
  return parseAddrSpec(text.startsWith('@') ? `x${text}` : text) !== null
}

/** The rules of an inbox or of a key, as they are stored. */
export const recipientRulesSchema: z.ZodType<readonly RecipientRule[]> = z
  .array(
    z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.enum(['anyone', 'same_domain', 'known_correspondents', 'thread_participants']),
      }),
      z.strictObject({
        kind: z.literal('list'),
        entries: z.array(z.string().max(320).refine(isEntry)).max(maxEntries),
      }),
    ]),
  )
  .max(10)
