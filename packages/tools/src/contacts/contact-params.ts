import { addressContexts } from '@postern/contacts'
import * as z from 'zod'

/*
 * Parameters of the contact book: one wording, one bound each.
 */

/** Characters of a query, after trimming. */
export const maxQueryChars = 200
const maxNoteChars = 5_000
const maxEmails = 20
const maxPhones = 20
const maxPostal = 10
const maxRoles = 10

const line = (max: number, description: string): z.ZodString =>
  z.string().trim().max(max).describe(description)
const named = (max: number, description: string): z.ZodString =>
  z.string().trim().min(1).max(max).describe(description)
const short = (max: number): z.ZodString => z.string().trim().min(1).max(max)
const optionalShort = (max: number): z.ZodOptional<z.ZodString> => z.string().trim().max(max).optional()

export const query = named(maxQueryChars, 'Literal part of a name, address, domain, organisation or role.')
/** Blank ones pass here: the answer to them has words of its own. */
export const proseQuery = line(
  maxQueryChars,
  'Literal part of a name, address, domain, organisation or role.',
)
export const addressContext = z
  .enum(addressContexts)
  .describe('Which address to prefer as email_address. Never leaves out a person.')
  .default('any')
export const format = z
  .enum(['concise', 'detailed'])
  .describe('detailed adds all addresses, phones, postal addresses, note, roles and 20 interactions.')
  .default('concise')

const people = (max: number, standard: number): z.ZodDefault<z.ZodNumber> =>
  z.number().int().min(1).max(max).describe('People.').default(standard).meta({ kind: 'clamped' })
export const limit = people(50, 20)
export const proseLimit = people(25, 5)
export const offset = z
  .number()
  .int()
  .min(0)
  .max(10_000)
  .describe('next_offset of the page before, other arguments unchanged.')
  .default(0)

export const contactId = short(64).describe('contact_id of contact_search.').meta({ kind: 'id' })
export const mergeContactIds = z
  .array(short(64))
  .min(1)
  .max(20)
  .describe('contact_ids that go into contact_id.')
  .meta({ kind: 'ids' })

export const name = named(200, 'Full name.')
export const organization = line(200, 'Organisation.').optional()
export const birthday = line(10, 'YYYY-MM-DD, or --MM-DD.').optional()
export const note = line(maxNoteChars, 'Free text of the owner.').optional()
export const preferredEmail = line(320, 'One of the emails, shown first.').optional()

const phone = z.strictObject({ number: short(60), label: optionalShort(60) })
const postalFields = {
  label: optionalShort(60),
  street: optionalShort(300),
  city: optionalShort(120),
  region: optionalShort(120),
  postal_code: optionalShort(40),
  country: optionalShort(120),
} as const
const postal = z.strictObject(postalFields)
const changedPostal = z.strictObject({ handle: short(16), ...postalFields })
export type PostalArg = z.output<typeof postal>
export type ChangedPostalArg = z.output<typeof changedPostal>

const emailList = (description: string): z.ZodOptional<z.ZodArray<z.ZodString>> =>
  z.array(short(320)).max(maxEmails).describe(description).optional()
/** Published without fields, which stand in the schema of another parameter. */
const shapeless = { items: { type: 'object' } } as const

const phoneList = (description: string): z.ZodOptional<z.ZodArray<typeof phone>> =>
  z.array(phone).max(maxPhones).describe(description).optional()
const postalList = (description: string): z.ZodOptional<z.ZodArray<typeof postal>> =>
  z.array(postal).max(maxPostal).describe(description).optional()
const words = (max: number, length: number, description: string): z.ZodOptional<z.ZodArray<z.ZodString>> =>
  z.array(short(length)).max(max).describe(description).optional()

export const emails = emailList('Addresses.')
export const phones = phoneList('Phones.')
export const postalAddresses = postalList('Postal addresses.')
export const roles = words(maxRoles, 60, 'What they are to the owner, by the owner: "lawyer".')

export const addedEmails = emailList('To add.')
export const removedEmails = emailList('To remove.')
export const addedPhones = phoneList('As phones.').meta(shapeless)
export const removedPhones = words(maxPhones, 60, 'Handles (p0) or numbers.')
export const addedPostalAddresses = postalList('As postal_addresses.').meta(shapeless)
export const removedPostalAddresses = words(maxPostal, 16, 'Handles (a0).')
export const updatedPostalAddresses = z
  .array(changedPostal)
  .max(maxPostal)
  .describe('As postal_addresses, with handle; named fields change.')
  .optional()
  .meta(shapeless)
export const addedRoles = words(maxRoles, 60, 'To add.')
export const removedRoles = words(maxRoles, 60, 'To remove.')

export const block = z
  .boolean()
  .describe('true: no later mail makes these addresses a contact again; create does.')
  .default(false)
