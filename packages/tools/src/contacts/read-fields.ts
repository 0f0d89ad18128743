import { Fault } from '@postern/core'
import { isCalendarDate } from '@postern/mail'
import { parseAddrSpec } from '@postern/outbox'
import type { PostalAddress } from '@postern/contacts'
import type { ChangedPostalArg, PostalArg } from './contact-params.ts'

/** Addresses of people, each as mail can go to it. @throws invalid_arguments with its place. */
export function readEmails(argument: string, given: readonly string[] = []): readonly string[] {
  return given.map((text, index) => {
    const address = parseAddrSpec(text)
    if (address !== null) return address
    throw new Fault('invalid_arguments', {
      public: `Entry ${index + 1} of ${argument} is no e-mail address of the form a@b.example. Nothing was changed.`,
      details: { argument, index },
    })
  })
}

/** One address; null where it was cleared, undefined where it was left out. */
export function readEmail(argument: string, given: string | undefined): string | null | undefined {
  if (given === undefined || given === '') return given === '' ? null : undefined
  return readEmails(argument, [given])[0]
}

/** RFC 6350 6.2.5 has a birthday without a year as `--MM-DD` too. @throws invalid_arguments. */
export function readBirthday(given: string | undefined): string | null | undefined {
  if (given === undefined || given === '') return given === '' ? null : undefined
  // A leap year stands in for the year that is not told.
  const date = /^--\d\d-\d\d$/.test(given) ? `2024-${given.slice(2)}` : given
  if (/^\d{4}-\d\d-\d\d$/.test(date) && isCalendarDate(date)) return given
  throw new Fault('invalid_arguments', {
    public: 'birthday must be a day that exists, as YYYY-MM-DD or --MM-DD. Nothing was changed.',
    details: { argument: 'birthday' },
  })
}

/** `""` clears, and what is left out stays. */
export function clearable(given: string | undefined): string | null | undefined {
  return given === '' ? null : given
}

export function readPhones(
  given: readonly { readonly number: string; readonly label?: string | undefined }[] = [],
): readonly { readonly number: string; readonly label: string | null }[] {
  return given.map(({ number, label }) => ({ number, label: orNull(label) }))
}

export function readPostal(given: readonly PostalArg[] = []): readonly Omit<PostalAddress, 'handle'>[] {
  return given.map(({ postal_code: postalCode, ...fields }) => ({
    label: orNull(fields.label),
    street: orNull(fields.street),
    city: orNull(fields.city),
    region: orNull(fields.region),
    postalCode: orNull(postalCode),
    country: orNull(fields.country),
  }))
}

/** Only the fields that are named. */
export function readPostalChanges(
  given: readonly ChangedPostalArg[] = [],
): readonly (Partial<PostalAddress> & Pick<PostalAddress, 'handle'>)[] {
  return given.map(({ handle, ...fields }) => ({
    handle,
    ...Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name === 'postal_code' ? 'postalCode' : name,
        orNull(value),
      ]),
    ),
  }))
}

function orNull(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text
}
