import { Fault } from '@postern/core'
import { listHeaders, parseAddresses, type HeaderField } from '@postern/mail'
import { parseAddrSpec } from './addr-spec.ts'
import {
  cleanName,
  distinctMailboxes,
  recipientFields,
  type Mailbox,
  type RecipientField,
  type Recipients,
} from './mailbox.ts'
import { maxPerField, maxRecipients, requireFew } from './parse-recipients.ts'

/**
 * The recipients that stand in the header of a message, of ours or of another program. The list is read as tolerantly
 * as everywhere, each address as strictly as a caller's.
 * @throws recipient_invalid (field and position, never the words), too_many_recipients; nothing was sent.
 */
export function readRecipients(headers: readonly HeaderField[]): Recipients {
  const read = (field: RecipientField): readonly Mailbox[] => {
    const addresses = listHeaders(headers, field).flatMap((value) => parseAddresses(value, null))
    requireFew(addresses.length, maxPerField, field)
    return distinctMailboxes(
      addresses.map(({ name, email }, index) => {
        const strict = parseAddrSpec(email)
        if (strict === null) throw invalid(field, index + 1)
        return { name: cleanName(name), email: strict }
      }),
    )
  }
  const recipients = { to: read('to'), cc: read('cc'), bcc: read('bcc') }
  requireFew(
    recipientFields.reduce((sum, field) => sum + recipients[field].length, 0),
    maxRecipients,
    'to, cc and bcc together',
  )
  return recipients
}

function invalid(field: RecipientField, position: number): Fault {
  return new Fault('recipient_invalid', {
    public: `Entry ${position} of ${field}, as the draft has it, is not one address. Nothing was sent or changed. draft update with ${field} corrects it.`,
    details: { field, position },
  })
}
