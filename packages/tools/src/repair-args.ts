import { Fault, isUuid, quote } from '@postern/core'
import { isDeepStrictEqual } from 'node:util'
import { aliases, clientExtras, inboxAliases } from './aliases.ts'
import type { Action, Tool } from './define-tool.ts'
import { isNeutral } from './is-neutral.ts'
import type { ParamSpec } from './param-spec.ts'
import { readValue, repairValue } from './repair-value.ts'
import { snakeCase } from './snake-case.ts'

/** Arguments under our names with values in our types, before any rule about them has been checked. */
export interface RepairedArgs {
  /** For the action itself. */
  readonly own: Map<string, unknown>
  /** Parameters that only other actions of the tool take. */
  readonly siblings: Map<string, unknown>
  readonly unknown: readonly string[]
  readonly inboxId: string | null
  readonly inbox: string | null
}

/**
 * Reads names and shapes that clients really send as what they stand for, saying so in notes.
 * @throws conflicting_arguments when a name and its alias differ; invalid_arguments for a value no rule reads;
 * argument_not_allowed for several ids where the action takes one.
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
    if (clientExtras.has(key) || value === null || value === undefined) continue
    const place = placeOf(tool, action, key, value)
    switch (place.kind) {
      case 'own': {
        const { spec } = place
        if (spec.name !== key) note(`${printable(key)} was read as ${spec.name}.`)
        // One id and a list of one stand for each other: saying that the name changed says it all.
        const isPair = isIdKind(spec) && spec.name !== snakeCase(key)
        const context = { tool, action, given: key, note: isPair ? () => undefined : note }
        keepOnce(own, spec.name, repairValue(spec, value, context), key)
        break
      }
      case 'inbox': {
        const [name, text] = inboxArgument(place.name, value)
        if (name !== key) note(`${printable(key)} was read as ${name}.`)
        keepOnce(inboxArgs, name, text, key)
        break
      }
      case 'sibling':
        siblings.set(place.name, place.value)
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
  | { readonly kind: 'sibling'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'unknown' }

function placeOf(tool: Tool, action: Action, key: string, value: unknown): Place {
  const snake = snakeCase(key)
  for (const name of [key, snake]) {
    const spec = action.params.get(name)
    if (spec !== undefined) return { kind: 'own', spec }
    if (action.target !== 'key' && (name === 'inbox' || name === 'inbox_id')) return { kind: 'inbox', name }
  }
  if (action.target !== 'key' && inboxAliases.has(snake))
    return { kind: 'inbox', name: looksLikeId(value) ? 'inbox_id' : 'inbox' }
  const sibling = siblingOf(tool, [key, snake], value)
  // `unread_only: false`, filled in by a client, asks for nothing; as an alias of `unread` it would hide unread mail.
  if (sibling !== null && isNeutral(tool, sibling.name, sibling.value)) return sibling
  const targets = [...(aliases[snake] ?? []), ...idTargets(action, snake)]
  for (const target of targets) {
    const spec = action.params.get(target)
    if (spec !== undefined) return { kind: 'own', spec }
  }
  return sibling ?? siblingOf(tool, targets, value) ?? { kind: 'unknown' }
}

/** The first of these names that another action of the tool takes, with the value in the type it has there. */
function siblingOf(
  tool: Tool,
  names: readonly string[],
  value: unknown,
): (Place & { readonly kind: 'sibling' }) | null {
  for (const name of names) {
    const spec = tool.actions.map(({ params }) => params.get(name)).find((found) => found !== undefined)
    if (spec !== undefined) return { kind: 'sibling', name, value: readValue(spec, value) }
  }
  return null
}

/** `id` means the only id an action takes; one id and a list of them stand for each other. */
function idTargets(action: Action, name: string): readonly string[] {
  const ids = [...action.params.values()].filter(isIdKind).map((spec) => spec.name)
  if (name === 'id' && ids.length === 1) return ids
  if (name === 'message_id' || name === 'email_id') return ['message_id', 'message_ids']
  if (name === 'message_ids') return ['message_id']
  return []
}

function isIdKind({ kind }: ParamSpec): boolean {
  return kind === 'id' || kind === 'ids'
}

/** An address given as id, or an id given as address, changes places. */
function inboxArgument(name: 'inbox' | 'inbox_id', value: unknown): readonly ['inbox' | 'inbox_id', string] {
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (typeof single !== 'string' || single.trim() === '' || single.length > 320) {
    throw new Fault('invalid_arguments', {
      public: `${name} must be ${name === 'inbox_id' ? 'the UUID' : 'the address'} of one inbox, as a string; inbox_list shows both. Nothing was done.`,
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
      public: `${name} is given twice with different values, once as ${quote(key)}. One of them is enough, as ${name}. Nothing was done.`,
      details: { argument: name },
    })
  }
  into.set(name, value)
}

/** An argument name for a note: plain letters only, since anything may be sent as a name. */
function printable(key: string): string {
  return key.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 40)
}
