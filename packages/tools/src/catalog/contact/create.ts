import * as z from 'zod'
import { bookScope } from '../../contacts/book-scope.ts'
import * as contactParams from '../../contacts/contact-params.ts'
import { readBirthday, readEmail, readEmails, readPhones, readPostal } from '../../contacts/read-fields.ts'
import { contactOnce, contactOwn, tellContact } from '../../contacts/tell-written.ts'
import { defineWrite, type WriteInit } from '../../define-tool.ts'

export const createInput = z.strictObject({
  name: contactParams.name,
  organization: contactParams.organization,
  birthday: contactParams.birthday,
  note: contactParams.note,
  emails: contactParams.emails,
  phones: contactParams.phones,
  postal_addresses: contactParams.postalAddresses,
  roles: contactParams.roles,
  preferred_email: contactParams.preferredEmail,
})

/** Shared with `create_contact`, which takes no more than this. */
export const createContact = {
  effect: 'write',
  scopes: [['manage:contacts']],
  target: 'book',
  seconds: 25,
  input: createInput,
  own: contactOwn,
  once: contactOnce,
  example: { name: 'Amy Ro', emails: ['amy@acme.example'] },
  async write(input, context) {
    const draft = {
      name: input.name,
      organization: input.organization || null,
      birthday: readBirthday(input.birthday) ?? null,
      note: input.note || null,
      roles: input.roles ?? [],
      emails: readEmails('emails', input.emails),
      preferredEmail: readEmail('preferred_email', input.preferred_email) ?? null,
      phones: readPhones(input.phones),
      postalAddresses: readPostal(input.postal_addresses),
      homeInboxId: context.inboxes[0]?.inboxId ?? null,
    }
    await context.write.enter('change')
    return tellContact(await context.deps.book.create(bookScope(context), draft))
  },
} as const satisfies Omit<
  WriteInit<typeof createInput, typeof contactOwn, typeof contactOnce, z.ZodObject>,
  'action'
>

export const create = defineWrite({ action: 'create', ...createContact })
