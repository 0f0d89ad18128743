import { Fault, isUuid, quote } from '@postern/core'
import { isDeepStrictEqual } from 'node:util'
import { aliases, clientExtras, inboxAliases } from './aliases.ts'
import type { Action, Tool } from './define-tool.ts'
import type { ParamSpec } from './param-spec.ts'
import { repairValue } from './repair-value.ts'

/** Arguments under our names with values in our types, before any rule about them has been checked. */
export interface RepairedArgs {
  /** For the action itself. */
  readonly own: Map<string, unknown>
  /** Parameters that only other actions of the tool take, untouched. */
  readonly siblings: Map<string, unknown>
  readonly unknown: readonly string[]
  readonly inboxId: string | null
  readonly inbox: string | null
}

/**
 * Reads names and shapes that clients really send as what they stand for (tools.md 1.4), saying so in notes.
 * @throws conflicting_arguments when a name and its alias differ; invalid_arguments for a value no rule reads.
 */
export function repairArgs(
  tool: Tool,
  action: Action,
  given: Readonly<Record<string, unknown>>,
  note: (sentence: string) => void,
): RepairedArgs {
  const own = new Map<string, unknown>()
  const siblings = new Map<string, unknown>()
  const inboxArgs = new Map<string, string>()
  const unknown: string[] = []
  for (const [key, value] of Object.entries(given)) {
    if (clientExtras.has(key) || value === null || value === undefined || key === 'action') continue
    const place = placeOf(tool, action, key, value)
    switch (place.kind) {
      case 'own': {
        const repaired = repairValue(place.spec, value, { action, given: key, note })
        if (place.spec.name !== key) note(`${printable(key)} was read as ${place.spec.name}.`)
        keepOnce(own, place.spec.name, repaired, key)
        break
      }
      case 'inbox': {
        const [name, text] = inboxArgument(place.name, value)
        if (name !== key) note(`${printable(key)} was read as ${name}.`)
        keepOnce(inboxArgs, name, text, key)
        break
      }
      case 'sibling':
        siblings.set(place.name, value)
        break
      case 'unknown':
        unknown.push(key)
        break
    }
  }
  return {
    own,
    siblings,
    unknown,
    inboxId: inboxArgs.get('inbox_id') ?? null,
    inbox: inboxArgs.get('inbox') ?? null,
  }
}

type Place =
  | { readonly kind: 'own'; readonly spec: ParamSpec }
  | { readonly kind: 'inbox'; readonly name: 'inbox' | 'inbox_id' }
  | { readonly kind: 'sibling'; readonly name: string }
  | { readonly kind: 'unknown' }

function placeOf(tool: Tool, action: Action, key: string, value: unknown): Place {
  const snake = toSnakeCase(key)
  for (const name of [key, snake]) {
    const spec = action.params.get(name)
    if (spec !== undefined) return { kind: 'own', spec }
    if (action.target !== 'key' && (name === 'inbox' || name === 'inbox_id')) return { kind: 'inbox', name }
  }
  if (action.target !== 'key' && inboxAliases.has(snake))
    return { kind: 'inbox', name: looksLikeId(value) ? 'inbox_id' : 'inbox' }
  for (const target of [...(aliases[snake] ?? []), ...idTargets(action, snake)]) {
    const spec = action.params.get(target)
    if (spec !== undefined) return { kind: 'own', spec }
  }
  const sibling = [key, snake].find((name) => tool.actions.some(({ params }) => params.has(name)))
  return sibling === undefined ? { kind: 'unknown' } : { kind: 'sibling', name: sibling }
}

/** `id` means the only id an action takes; one id and a list of them stand for each other. */
function idTargets(action: Action, name: string): readonly string[] {
  const ids = [...action.params.values()]
    .filter(({ kind }) => kind === 'id' || kind === 'ids')
    .map((spec) => spec.name)
  if (name === 'id' && ids.length === 1) return ids
  if (name === 'message_id' || name === 'email_id') return ['message_id', 'message_ids']
  if (name === 'message_ids') return ['message_id']
  return []
}

/** An address given as id, or an id given as address, changes places. */
function inboxArgument(name: 'inbox' | 'inbox_id', value: unknown): readonly ['inbox' | 'inbox_id', string] {
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (typeof single !== 'string' || single.trim() === '' || single.length > 320) {
    throw new Fault('invalid_arguments', {
      public: `${name} must be ${name === 'inbox_id' ? 'the UUID' : 'the address'} of one inbox, as a string; inbox_list shows both.`,
      details: { argument: name },
    })
  }
  const text = single.trim()
  if (name === 'inbox_id' && text.includes('@')) return ['inbox', text]
  if (name === 'inbox' && isUuid(text)) return ['inbox_id', text]
  return [name, text]
}

function looksLikeId(value: unknown): boolean {
  return typeof value === 'string' && isUuid(value.trim())
}

function keepOnce<T>(into: Map<string, T>, name: string, value: T, key: string): void {
  if (into.has(name) && !isDeepStrictEqual(into.get(name), value)) {
    throw new Fault('conflicting_arguments', {
      public: `${name} is given twice with different values, once as ${quote(key)}. Give it once, as ${name}.`,
      details: { argument: name },
    })
  }
  into.set(name, value)
}

/** `messageId`, `message-id` and `MessageID` as `message_id`. */
function toSnakeCase(name: string): string {
  if (name.length > 64) return name
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}

/** An argument name for a note: plain letters only, since anything may be sent as a name. */
function printable(key: string): string {
  return key.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 40)
}
