import * as z from 'zod'

/** How a value given in another shape may be repaired; set with `.meta({ kind })`. */
export type ParamKind =
  | 'id'
  | 'ids'
  | 'address'
  | 'recipients'
  | 'folders'
  | 'time'
  | 'bytes'
  | 'clamped'
  | 'provider'

/** A parameter as plain facts, derived once from its zod schema. */
export interface ParamSpec {
  readonly name: string
  readonly type: 'string' | 'integer' | 'boolean' | 'array' | 'object'
  readonly kind: ParamKind | null
  readonly isRequired: boolean
  readonly values: readonly string[] | null
  readonly minimum: number | null
  readonly maximum: number | null
  readonly default: unknown
  /** JSON Schema without our own marks, as published. */
  readonly schema: Readonly<Record<string, unknown>>
}

const kinds: ReadonlySet<string> = new Set([
  'id',
  'ids',
  'address',
  'recipients',
  'folders',
  'time',
  'bytes',
  'clamped',
  'provider',
])
const types = ['string', 'integer', 'boolean', 'array', 'object'] as const

/** Facts about each parameter of a strict object schema, in its order. Called at load, never per request. */
export function describeParams(input: z.ZodObject): ReadonlyMap<string, ParamSpec> {
  const whole = jsonSchema(input, 'input')
  const required = new Set(whole['required'] as readonly string[] | undefined)
  const properties = (whole['properties'] ?? {}) as Record<string, Record<string, unknown>>
  return new Map(
    Object.entries(properties).map(([name, property]) => [
      name,
      describe(name, property, required.has(name)),
    ]),
  )
}

function describe(name: string, property: Record<string, unknown>, isRequired: boolean): ParamSpec {
  const { kind, ...schema } = property
  const type = types.find((candidate) => candidate === schema['type'])
  if (type === undefined) throw new TypeError(`parameter ${name} has no plain type`)
  return {
    name,
    type,
    kind: typeof kind === 'string' && kinds.has(kind) ? (kind as ParamKind) : null,
    isRequired,
    values: (schema['enum'] as readonly string[] | undefined) ?? null,
    minimum: (schema['minimum'] as number | undefined) ?? null,
    maximum: (schema['maximum'] as number | undefined) ?? null,
    default: schema['default'],
    schema,
  }
}

/** draft 2020-12 without `$schema`, which some clients refuse. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}
