import { Fault, quote } from '@postern/core'

/** The canonical name of an IANA time zone. @throws invalid_arguments. */
export function parseTimezone(text: string): string {
  // Node also takes offsets such as +01:00, which know no summer time and are no zone.
  if (!/^[A-Za-z]/.test(text)) throw noTimezone(text)
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    throw noTimezone(text)
  }
}

/** The canonical form of a BCP 47 language tag. @throws invalid_arguments. */
export function parseLanguage(text: string): string {
  try {
    const [language] = Intl.getCanonicalLocales(text)
    if (language === undefined || language.length > 35) throw noLanguage(text)
    return language
  } catch {
    throw noLanguage(text)
  }
}

function noTimezone(text: string): Fault {
  return new Fault('invalid_arguments', {
    public: `${quote(text)} is no time zone. Use a name such as Europe/Berlin or UTC. Nothing was changed.`,
    details: { argument: 'timezone' },
  })
}

function noLanguage(text: string): Fault {
  return new Fault('invalid_arguments', {
    public: `${quote(text)} is no language. Use a tag such as en, de or pt-BR. Nothing was changed.`,
    details: { argument: 'language' },
  })
}
