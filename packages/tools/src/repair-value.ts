import { Fault, quote } from '@postern/core'
import { splitRecipients } from '@postern/outbox'
import { providerBrands } from './aliases.ts'
import type { Action, Tool } from './define-tool.ts'
import { describeRange } from './describe-range.ts'
import type { ParamSpec } from './param-spec.ts'
import { snakeCase } from './snake-case.ts'

interface RepairContext {
  readonly tool: Tool
  readonly action: Action
  /** The name the value came under. */
  readonly given: string
  readonly note: (sentence: string) => void
}

/**
 * A value in the parameter's type, where this file knows how to read it; otherwise as given,
 * for the schema to refuse. Nothing is shortened, chosen or guessed, except that a read's limits are clamped.
 * @throws argument_not_allowed for several ids where one is taken.
 */
export function repairValue(spec: ParamSpec, value: unknown, context: RepairContext): unknown {
  const read = spec.type === 'string' ? toText(spec, value, context) : readValue(spec, value)
  const isOtherShape = typeof read !== typeof value || Array.isArray(read) !== Array.isArray(value)
  // A number and a truth say what they are; a list could hold anything.
  const told = typeof read === 'number' || typeof read === 'boolean' ? String(read) : article(spec)
  if (isOtherShape) context.note(`${spec.name} was read as ${told}.`)
  return clamp(spec, read, context)
}

/** The part of it that needs no telling: a value as the number, boolean, list or object that its text stands for. */
export function readValue(spec: ParamSpec, value: unknown): unknown {
  switch (spec.type) {
    case 'integer':
      return toInteger(spec, value)
    case 'boolean':
      return toBoolean(value)
    case 'array':
      return toArray(spec, value)
    case 'object':
      return typeof value === 'string' ? parsed(value, isObject) : value
    case 'string':
      return value
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
  if (typeof value !== 'string') return unique(spec, value)
  const json = parsed(value, Array.isArray)
  if (json !== value) return unique(spec, json)
  if (spec.kind === 'recipients') return splitRecipients(value)
  return unique(spec, spec.kind === 'ids' ? splitIds(value) : [value])
}

/** An array without repeats, first kept: an id named twice is one message. Of objects, with names as ours are. */
function unique(spec: ParamSpec, value: unknown): unknown {
  if (Array.isArray(value) && value.some(isObject)) return value.map((one: unknown) => withOurNames(one))
  return spec.kind === 'ids' && Array.isArray(value) ? [...new Set<unknown>(value)] : value
}

function withOurNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [snakeCase(name), held as unknown]))
}

/** No id holds a comma, so a comma parts two. */
function splitIds(text: string): readonly string[] {
  return text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
}

function toText(spec: ParamSpec, value: unknown, context: RepairContext): unknown {
  const given = typeof value === 'string' ? listIn(spec, value) : value
  if (!Array.isArray(given)) return toEnum(spec, given, context.note)
  if (given.length === 1) {
    if (typeof value === 'string') context.note(`${spec.name} was read as the one item of its list.`)
    return toEnum(spec, given[0], context.note)
  }
  if (spec.kind === 'id' && given.length > 1) throw severalIds(spec, given.length, context)
  return given
}

/** A list that was written as one text, where no text of that kind looks like one: ids and addresses. */
function listIn(spec: ParamSpec, text: string): unknown {
  if (spec.kind !== 'id' && spec.kind !== 'address') return text
  const json = parsed(text, Array.isArray)
  return json === text && spec.kind === 'id' && text.includes(',') ? splitIds(text) : json
}

function severalIds(spec: ParamSpec, count: number, { tool, action, given }: RepairContext): Fault {
  const many = `${spec.name}s`
  const takers = tool.actions.filter(({ params }) => params.get(many)?.kind === 'ids')
  const batch = takers.find((taker) => taker.action === `${String(action.action)}_batch`) ?? takers[0] ?? null
  const help = batch === null ? 'One call takes one.' : `${String(batch.action)} takes several, as ${many}.`
  return new Fault('argument_not_allowed', {
    public: `${quote(given)} holds ${count} ids, but ${action.action ?? tool.name} takes one ${spec.name}. ${help} Nothing was done.`,
    details: {
      argument: given.slice(0, 64),
      action: action.action,
      ...(batch === null ? {} : { use: batch.action }),
    },
  })
}

function toEnum(spec: ParamSpec, value: unknown, note: RepairContext['note']): unknown {
  if (spec.values === null || typeof value !== 'string' || spec.values.includes(value)) return value
  const word = value.trim().toLowerCase().replaceAll('-', '_')
  if (spec.values.includes(word)) {
    note(`${spec.name} was read as ${word}.`)
    return word
  }
  const kind = spec.kind === 'provider' ? providerBrands[word.replaceAll('_', '')] : undefined
  if (kind === undefined) return value
  note(`${spec.name} was read as ${kind}, the kind of provider that this service belongs to.`)
  return kind
}

function clamp(spec: ParamSpec, value: unknown, { action, note }: RepairContext): unknown {
  if (spec.kind !== 'clamped' || action.effect !== 'read') return value
  if (typeof value !== 'number' || !Number.isInteger(value)) return value
  const bounded = Math.min(spec.maximum ?? value, Math.max(spec.minimum ?? value, value))
  if (bounded !== value) note(`${spec.name} was set to ${bounded}: it must be ${describeRange(spec)}.`)
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

function isObject(json: unknown): boolean {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function article({ type }: ParamSpec): string {
  return type === 'string' || type === 'boolean' ? `a ${type}` : `an ${type}`
}
