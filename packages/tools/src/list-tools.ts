import { holdsScopes, type Principal } from '@postern/access'
import { catalog } from './catalog.ts'
import type { ListedTool, ListOptions } from './context.ts'
import { type Action, strongestEffect, type Tool } from './define-tool.ts'
import { isBound } from './is-bound.ts'
import { jsonSchema, type ParamSpec } from './param-spec.ts'
import { replayOutput } from './outputs.ts'
import * as params from './params.ts'
import * as z from 'zod'

/** Sets that `?toolsets=default`, and a URL without the option, stand for. */
const defaultToolsets = ['core', 'bulk', 'schedule', 'signature', 'automation', 'calendar']

const memo = new Map<string, ListedTool>()

/**
 * The tools a principal can call, in catalogue order, with only its actions; byte-identical for equal grants.
 * A courtesy: what is not listed is refused by `callTool` all the same.
 */
export function listTools(principal: Principal, options: ListOptions): readonly ListedTool[] {
  const sets = new Set(
    (options.toolsets ?? ['default']).flatMap((name) => (name === 'default' ? defaultToolsets : [name])),
  )
  return catalog.flatMap((tool) => {
    const actions = tool.actions.filter(({ scopes }) => holdsScopes(principal, scopes))
    if (!sets.has(tool.toolset) || actions.length === 0) return []
    if (options.isReadOnly && !isReadOnly(tool)) return []
    return [memoised(tool, actions, isBound(principal))]
  })
}

export function isReadOnly(tool: Tool): boolean {
  return strongestEffect(tool.actions) === 'read'
}

/** Building schemas per request would cost more than the calls: each form is made once per process. */
function memoised(tool: Tool, actions: readonly Action[], hidesInbox: boolean): ListedTool {
  const key = `${tool.name}|${actions.map(({ action }) => action).join(',')}|${hidesInbox}`
  const known = memo.get(key)
  if (known !== undefined) return known
  const made = describeTool(tool, actions, hidesInbox)
  memo.set(key, made)
  return made
}

/** A tool as published, for the given actions of it. */
export function describeTool(tool: Tool, actions: readonly Action[], hidesInbox: boolean): ListedTool {
  const effect = strongestEffect(tool.actions)
  const outputSchema = mergeOutputs(actions, tool.publishes ?? null)
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: mergeInputs(actions, hidesInbox),
    ...(tool.toolset === 'compat' ? {} : { outputSchema }),
    annotations: {
      title: tool.title,
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'send' || effect === 'destroy' || tool.isBulk,
      idempotentHint: tool.isIdempotent,
      // Only what leaves the mailbox for other people touches an open world.
      openWorldHint: effect === 'send',
    },
  }
}

/** The flat merge of the actions' parameters; who takes what is told in words, since clients refuse unions. */
function mergeInputs(actions: readonly Action[], hidesInbox: boolean): Record<string, unknown> {
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  if (actions.some(({ action }) => action !== null)) {
    properties['action'] = {
      type: 'string',
      enum: actions.map(({ action }) => action),
      description: describeActions(actions),
    }
    required.push('action')
  }
  const names = [...new Set(actions.flatMap(({ params: own }) => [...own.keys()]))]
  for (const name of names) {
    properties[name] = mergeParam(actions, name)
    if (actions.every(({ params: own }) => own.get(name)?.isRequired === true)) required.push(name)
  }
  if (!hidesInbox) Object.assign(properties, mergeInboxes(actions))
  return { type: 'object', properties, required, additionalProperties: false }
}

/** Which inbox, told once where every action takes it. */
function mergeInboxes(actions: readonly Action[]): Record<string, unknown> {
  const takers = actions.filter(({ target }) => target !== 'key')
  if (takers.length === 0) return {}
  if (takers.length === actions.length) return inboxProperties
  const prefix = `${takers.map(({ action }) => action).join(', ')}: `
  return Object.fromEntries(
    Object.entries(inboxProperties).map(([name, { description, ...schema }]) => [
      name,
      { ...schema, description: `${prefix}${String(description)}` },
    ]),
  )
}

const inboxProperties: Readonly<Record<string, Readonly<Record<string, unknown>>>> = (() => {
  const { properties } = jsonSchema(
    z.strictObject({ inbox_id: params.inboxId, inbox: params.inbox }),
    'input',
  ) as {
    properties: Record<string, Record<string, unknown>>
  }
  return Object.fromEntries(
    Object.entries(properties).map(([name, { kind: _, ...schema }]) => [name, withoutTrifles(schema)]),
  )
})()

/** Without what goes without saying: that a text or list which is given is not empty, and that nothing given is no. */
function withoutTrifles(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const told = Object.entries(schema).filter(
    ([name, value]) =>
      !((name === 'minLength' || name === 'minItems') && value === 1) &&
      !(name === 'default' && (value === false || value === 0)),
  )
  return Object.fromEntries(
    told.map(([name, value]) => [name, isNested(name, value) ? nestedWithoutTrifles(name, value) : value]),
  )
}

type Nested = Readonly<Record<string, Readonly<Record<string, unknown>>>>

function isNested(name: string, value: unknown): value is Nested {
  return (name === 'items' || name === 'properties') && typeof value === 'object' && value !== null
}

function nestedWithoutTrifles(name: string, value: Nested): Record<string, unknown> {
  if (name === 'items') return withoutTrifles(value)
  return Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, withoutTrifles(schema)]))
}

function mergeParam(actions: readonly Action[], name: string): Record<string, unknown> {
  const owners = actions.filter(({ params: own }) => own.has(name))
  const specs = owners
    .map(({ params: own }) => own.get(name))
    .filter((spec): spec is ParamSpec => spec !== undefined)
  const [first] = specs
  const { description, default: fallback, ...schema } = withoutTrifles(first?.schema ?? {})
  const isShared = specs.every((spec) => spec.default === fallback)
  const prefix = owners.length === actions.length ? '' : `${owners.map(({ action }) => action).join(', ')}: `
  return {
    ...schema,
    ...(fallback !== undefined && isShared ? { default: fallback } : {}),
    description: `${prefix}${String(description)}`,
  }
}

/** What each action must be given; generated from the schemas that enforce it. */
function describeActions(actions: readonly Action[]): string {
  const neededBy = ({ params: own }: Action): string =>
    [...own.values()]
      .filter(({ isRequired }) => isRequired)
      .map(({ name }) => name)
      .join(', ')
  const parts = [...Map.groupBy(actions, neededBy)].flatMap(([needed, group]) => {
    const names = group.map(({ action }) => String(action)).join(', ')
    return needed === '' ? [] : [`${names}: ${needed}`]
  })
  return parts.length === 0 ? 'What to do.' : `What to do. Needed: ${parts.join('; ')}.`
}

/**
 * Top-level fields only, always open: those that every answer has, since a list of all would be long and tell nothing of
 * any call. A field that may be null has no property, since a portable schema cannot say so; it is sent all the same.
 */
function mergeOutputs(actions: readonly Action[], only: readonly string[] | null): Record<string, unknown> {
  const shown = actions.flatMap(({ rehearsal }) => rehearsal?.output ?? [])
  const own = actions.map(({ output }) => jsonSchema(output, 'output'))
  const schemas = [...own, ...[...shown, notesOutput].map((output) => jsonSchema(output, 'output'))]
  // A repeated call gets what the ledger kept of the first one, which may be less.
  const isWritten = actions.some(({ write }) => write !== null)
  const required = [...schemas.slice(0, -1), ...(isWritten ? [jsonSchema(replayOutput, 'output')] : [])]
    .map((schema) => (schema['required'] ?? []) as string[])
    .reduce((shared, each) => shared.filter((name) => each.includes(name)))
  const fields = schemas
    .flatMap(({ properties }) => Object.entries(properties as Record<string, Record<string, unknown>>))
    .filter(([name]) => (only === null ? name === 'notes' || required.includes(name) : only.includes(name)))
  const properties: Record<string, unknown> = {}
  for (const [name, property] of fields) {
    const types = new Set(fields.filter(([other]) => other === name).map(([, { type }]) => type))
    // Null in one action, or two types in two, is nothing that one portable property could say.
    if (types.size === 1 && typeof property['type'] === 'string') properties[name] ??= shallow(property)
  }
  if (only !== null) return { type: 'object', properties, required: [], additionalProperties: true }
  return { type: 'object', properties, required, additionalProperties: true }
}

const notesOutput = z.strictObject({
  notes: z.array(z.string()).optional(),
})

function shallow({ type, items, description }: Record<string, unknown>): Record<string, unknown> {
  return {
    type,
    ...(type === 'array' ? { items: shallowItems(items) } : {}),
    ...(description === undefined ? {} : { description }),
  }
}

function shallowItems(items: unknown): Record<string, unknown> {
  const type = (items as { type?: unknown } | undefined)?.type
  return typeof type === 'string' && type !== 'object' && type !== 'array' ? { type } : { type: 'object' }
}
