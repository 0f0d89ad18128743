import type { ContactChange } from '@postern/contacts'
import { Fault } from '@postern/core'
import * as z from 'zod'
import { bookScope } from '../../contacts/book-scope.ts'
import * as contactParams from '../../contacts/contact-params.ts'
import {
  clearable,
  readBirthday,
  readEmail,
  readEmails,
  readPhones,
  readPostal,
  readPostalChanges,
} from '../../contacts/read-fields.ts'
import { contactOnce, contactOwn, tellContact } from '../../contacts/tell-written.ts'
import { defineWrite, type WriteInit } from '../../define-tool.ts'

export const updateInput = z.strictObject({
  contact_id: contactParams.contactId,
  name: contactParams.name.optional(),
  organization: contactParams.organization,
  birthday: contactParams.birthday,
  note: contactParams.note,
  preferred_email: contactParams.preferredEmail,
  added_emails: contactParams.addedEmails,
  removed_emails: contactParams.removedEmails,
  added_phones: contactParams.addedPhones,
  removed_phones: contactParams.removedPhones,
  added_postal_addresses: contactParams.addedPostalAddresses,
  removed_postal_addresses: contactParams.removedPostalAddresses,
  updated_postal_addresses: contactParams.updatedPostalAddresses,
  added_roles: contactParams.addedRoles,
  removed_roles: contactParams.removedRoles,
})

/** Shared with `update_contact`. */
export const updateContact = {
  effect: 'write',
  scopes: [['manage:contacts']],
  target: 'key',
  seconds: 25,
  input: updateInput,
  own: contactOwn,
  once: contactOnce,
  example: { contact_id: 'c_...', organization: 'Acme' },
  async write({ contact_id: contactId, ...fields }, context) {
    requireChange(fields)
    const change = readChange(fields)
    await context.write.enter('change')
    return tellContact(await context.deps.book.update(bookScope(context), contactId, change))
  },
} as const satisfies Omit<
  WriteInit<typeof updateInput, typeof contactOwn, typeof contactOnce, z.ZodObject>,
  'action'
>

export const update = defineWrite({ action: 'update', ...updateContact })

type Fields = Omit<z.output<typeof updateInput>, 'contact_id'>

function requireChange({ ...fields }: Fields): void {
  const isNamed = Object.entries(fields).some(
    ([name, value]) => name !== 'idempotency_key' && value !== undefined,
  )
  if (isNamed) return
  throw new Fault('invalid_arguments', {
    public: 'update changes the fields that it names, and none is named. Nothing was changed.',
    details: { argument: 'name' },
  })
}

function readChange(fields: Fields): ContactChange {
  const scalars = {
    name: fields.name,
    organization: clearable(fields.organization),
    birthday: readBirthday(fields.birthday),
    note: clearable(fields.note),
    preferredEmail: readEmail('preferred_email', fields.preferred_email),
  }
  return {
    ...Object.fromEntries(Object.entries(scalars).filter(([, value]) => value !== undefined)),
    addedEmails: readEmails('added_emails', fields.added_emails),
    removedEmails: readEmails('removed_emails', fields.removed_emails),
    addedPhones: readPhones(fields.added_phones),
    removedPhones: fields.removed_phones ?? [],
    addedPostalAddresses: readPostal(fields.added_postal_addresses),
    removedPostalAddresses: fields.removed_postal_addresses ?? [],
    updatedPostalAddresses: readPostalChanges(fields.updated_postal_addresses),
    addedRoles: fields.added_roles ?? [],
    removedRoles: fields.removed_roles ?? [],
  }
}
