import * as z from 'zod'

/** What is said about a setting besides its type. */
export interface SettingFacts {
  readonly description: string
  /** What a valid value looks like, with its unit. */
  readonly form: string
  /** What stands where the setting does not; null: nothing does. */
  readonly default: string | null
  readonly isSecret: boolean
}

/** Where the facts of every setting stand, for problems, `.env.example` and the table in the README. */
export const settingFacts = z.registry<SettingFacts>()

/** Text with a default. */
export function text(form: string, fallback: string, description: string) {
  const facts = { description, form, default: fallback, isSecret: false }
  return z.string().prefault(fallback).register(settingFacts, facts)
}

/** Text that may be absent. */
export function optionalText(isValid: (value: string) => boolean, about: Omit<SettingFacts, 'default'>) {
  return z
    .string()
    .refine(isValid)
    .optional()
    .register(settingFacts, { ...about, default: null })
}

/** A whole number from `range[0]` to `range[1]`; `fallback` null where the setting may be absent. */
export function wholeNumber(
  range: readonly [number, number],
  unit: string,
  fallback: string,
  description: string,
) {
  return digits(range)
    .prefault(fallback)
    .register(settingFacts, numberFacts(range, { unit, fallback, description }))
}

export function optionalNumber(range: readonly [number, number], unit: string, description: string) {
  return digits(range)
    .optional()
    .register(settingFacts, numberFacts(range, { unit, fallback: null, description }))
}

/** `1` or `0`, off unless set. */
export function flag(description: string) {
  const facts = { description, form: '1 or 0', default: '0', isSecret: false }
  return z
    .enum(['0', '1'])
    .prefault('0')
    .transform((value) => value === '1')
    .register(settingFacts, facts)
}

export function choice<const T extends string>(
  values: readonly T[],
  fallback: NoInfer<T>,
  description: string,
) {
  const facts = { description, form: values.join(' or '), default: fallback, isSecret: false }
  return z.enum(values).prefault(fallback).register(settingFacts, facts)
}

/** Values between commas, none unless set. */
export function list(isValid: (value: string) => boolean, form: string, description: string) {
  return z
    .string()
    .prefault('')
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .refine((values) => values.every(isValid))
    .register(settingFacts, { description, form, default: null, isSecret: false })
}

/** Digits only: `Number` would also take `0x19`, `1e3` and white space. */
function digits([minimum, maximum]: readonly [number, number]) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum))
}

function numberFacts(
  [minimum, maximum]: readonly [number, number],
  { unit, fallback, description }: { unit: string; fallback: string | null; description: string },
): SettingFacts {
  const form = `${unit}, a whole number from ${String(minimum)} to ${String(maximum)}`
  return { description, form, default: fallback, isSecret: false }
}
