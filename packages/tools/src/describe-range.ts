import type { ParamSpec } from './param-spec.ts'

/** What a parameter accepts, in words for an error or a note: `an integer from 1 to 100`. */
export function describeRange(spec: ParamSpec): string {
  if (spec.values !== null) return `one of ${spec.values.join(', ')}`
  const { minLength, maxLength, minItems, maxItems } = spec.schema as Record<string, number | undefined>
  switch (spec.type) {
    case 'integer':
      return spec.minimum === null || spec.maximum === null
        ? 'an integer'
        : `an integer from ${spec.minimum} to ${spec.maximum}`
    case 'boolean':
      return 'true or false'
    case 'string':
      return `a string of ${minLength ?? 0} to ${maxLength ?? 0} characters`
    case 'array': {
      const items = spec.schema['items'] as Record<string, unknown> | undefined
      if (items?.['type'] === 'object')
        return `an array of ${minItems ?? 0} to ${maxItems ?? 0} objects with ${namesIn(items)}`
      return `an array of ${minItems ?? 0} to ${maxItems ?? 0} strings of ${Number(items?.['minLength'] ?? 0)} to ${Number(items?.['maxLength'] ?? 0)} characters`
    }
    case 'object':
      return 'an object'
  }
}

function namesIn({ properties }: Record<string, unknown>): string {
  return Object.keys(properties as object).join(', ')
}
