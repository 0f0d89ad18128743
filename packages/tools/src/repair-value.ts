import { Fault, quote } from '@postern/core'
import { providerBrands } from './aliases.ts'
import type { Action } from './define-tool.ts'
import { describeRange } from './describe-range.ts'
import type { ParamSpec } from './param-spec.ts'

interface RepairContext {
  readonly action: Action
  /** The name the value came under. */
  readonly given: string
  readonly note: (sentence: string) => void
}

/**
 * A value in the parameter's type, where the table of tools.md 1.4 knows how to read it; otherwise as given,
 * for the schema to refuse. Nothing is shortened, chosen or guessed, except that a read's limits are clamped.
 */
export function repairValue(spec: ParamSpec, value: unknown, context: RepairContext): unknown {
  const repaired = convert(spec, value, context)
  if (repaired !== value && typeof repaired !== typeof value)
    context.note(`${spec.name} was read as ${article(spec)}.`)
  else if (Array.isArray(repaired) !== Array.isArray(value))
    context.note(`${spec.name} was read as ${article(spec)}.`)
  return clamp(spec, repaired, context)
}

function convert(spec: ParamSpec, value: unknown, context: RepairContext): unknown {
  switch (spec.type) {
    case 'integer':
      return toInteger(spec, value)
    case 'boolean':
      return toBoolean(value)
    case 'array':
      return toArray(spec, value)
    case 'object':
      return typeof value === 'string'
        ? parsed(value, (json) => typeof json === 'object' && json !== null)
        : value
    case 'string':
      return toText(spec, value, context)
  }
}

function toInteger(spec: ParamSpec, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (/^[+-]?\d{1,15}(\.0{1,6})?$/.test(text)) return Number(text)
  const size = spec.kind === 'bytes' ? /^(\d{1,9})\s?([KMG])B?$/i.exec(text) : null
  if (size === null) return value
  const power = { K: 1, M: 2, G: 3 }[(size[2] ?? 'K').toUpperCase()] ?? 1
  return Number(size[1]) * 1024 ** power
}

function toBoolean(value: unknown): unknown {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (word === 'true' || word === '1') return true
  if (word === 'false' || word === '0') return false
  return value
}

function toArray(spec: ParamSpec, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const json = parsed(value, Array.isArray)
  if (json !== value) return unique(spec, json)
  if (spec.kind === 'ids')
    return unique(
      spec,
      value
        .split(',')
        .map((id) => id.trim())
        .filter((id) => id !== ''),
    )
  return [value]
}

function toText(spec: ParamSpec, value: unknown, { action, given, note }: RepairContext): unknown {
  if (!Array.isArray(value)) return enumValue(spec, value, note)
  if (value.length === 1) return enumValue(spec, value[0], note)
  if (spec.kind !== 'id') return value
  throw new Fault('argument_not_allowed', {
    public: `${quote(given)} holds ${value.length} ids, but this action takes one ${spec.name}. For several use the batch action, such as read_batch with message_ids.`,
    details: { argument: given, action: action.action, use: 'read_batch' },
  })
}

function enumValue(spec: ParamSpec, value: unknown, note: RepairContext['note']): unknown {
  if (spec.values === null || typeof value !== 'string' || spec.values.includes(value)) return value
  const word = value.trim().toLowerCase().replaceAll('-', '_')
  if (spec.values.includes(word)) return word
  const kind = spec.kind === 'provider' ? providerBrands[word.replaceAll('_', '')] : undefined
  if (kind === undefined) return value
  note(`${spec.name} was read as ${kind}, the kind of provider that this service belongs to.`)
  return kind
}

/** An array without repeats, first kept: an id named twice is one message. */
function unique(spec: ParamSpec, value: unknown): unknown {
  return spec.kind === 'ids' && Array.isArray(value) ? [...new Set<unknown>(value)] : value
}

function clamp(spec: ParamSpec, value: unknown, { action, note }: RepairContext): unknown {
  const settled = Array.isArray(value) ? unique(spec, value) : value
  if (
    spec.kind !== 'clamped' ||
    action.effect !== 'read' ||
    typeof settled !== 'number' ||
    !Number.isInteger(settled)
  )
    return settled
  const bounded = Math.min(spec.maximum ?? settled, Math.max(spec.minimum ?? settled, settled))
  if (bounded !== settled) note(`${spec.name} was set to ${bounded}: it must be ${describeRange(spec)}.`)
  return bounded
}

function parsed(text: string, accepts: (json: unknown) => boolean): unknown {
  const first = text.trimStart().charAt(0)
  if (first !== '[' && first !== '{') return text
  try {
    const json: unknown = JSON.parse(text)
    return accepts(json) ? json : text
  } catch {
    return text
  }
}

function article(spec: ParamSpec): string {
  return spec.type === 'integer' || spec.type === 'array' || spec.type === 'object'
    ? `an ${spec.type === 'array' ? 'array' : spec.type}`
    : `a ${spec.type}`
}
