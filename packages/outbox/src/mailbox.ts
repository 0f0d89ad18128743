import { cleanLine, type RawText } from '@postern/mail'
import { addressKey, type AddrSpec } from './addr-spec.ts'

/** Someone who is written to, or writes. The name is one line of text, never empty. */
export interface Mailbox {
  readonly name: string | null
  readonly email: AddrSpec
}

/** Longest name that is written, in UTF-16 units. */
export const maxNameChars = 320

/** A name from a header, as one clean line; a decoded one may hold line breaks. Null where nothing is left. */
export function cleanName(name: RawText | null): string | null {
  const line = name === null ? '' : cleanLine(name, maxNameChars)
  return line === '' ? null : line
}

/** Whose copies are whose. In the order in which they were named. */
export interface Recipients {
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
}

export const recipientFields = ['to', 'cc', 'bcc'] as const
export type RecipientField = (typeof recipientFields)[number]

/** Everyone, each once, in the order of To, Cc and Bcc. */
export function listRecipients({ to, cc, bcc }: Recipients): readonly AddrSpec[] {
  return distinctMailboxes([...to, ...cc, ...bcc]).map(({ email }) => email)
}

/** Each address once, the first of its spellings, without those of `except` (keys as of `addressKey`). */
export function distinctMailboxes(
  mailboxes: readonly Mailbox[],
  except: ReadonlySet<string> = new Set(),
): readonly Mailbox[] {
  const seen = new Set(except)
  return mailboxes.filter(({ email }) => {
    const key = addressKey(email)
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}
