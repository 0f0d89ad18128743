import { Fault, quote } from '@postern/core'
import { isDeepStrictEqual } from 'node:util'
import { misplaced } from './aliases.ts'
import { chooseAction } from './choose-action.ts'
import type { Action, Json, Tool } from './define-tool.ts'
import { describeRange } from './describe-range.ts'
import { nearest } from './nearest.ts'
import { repairArgs, type RepairedArgs } from './repair-args.ts'

export interface ParsedArgs {
  readonly action: Action
  readonly input: Json
  readonly inboxId: string | null
  readonly inbox: string | null
}

/**
 * From what a client sent to what an action takes, in the order of tools.md 1.4: names, values, action,
 * then `allow` (the scope check), and only then what else is wrong with the arguments.
 * @throws the argument faults of tools.md 2.2, or whatever `allow` throws.
 */
export function parseArgs(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  allow: (action: Action) => void,
  note: (sentence: string) => void,
): ParsedArgs {
  const named = Object.entries(given).find(([key]) => key.toLowerCase() === 'action')
  const action = chooseAction(tool, named?.[1] ?? undefined, note)
  const args = repairArgs(tool, action, withoutAction(given), note)
  allow(action)
  refuseUnknown(tool, action, args)
  settleSiblings(tool, action, args, note)
  requireAll(tool, action, args)
  return { action, input: validate(action, args.own), inboxId: args.inboxId, inbox: args.inbox }
}

function withoutAction(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([key]) => key.toLowerCase() !== 'action'))
}

function refuseUnknown(tool: Tool, action: Action, { unknown }: RepairedArgs): void {
  const [name] = unknown
  if (name === undefined) return
  const valid = [...action.params.keys(), ...(action.target === 'key' ? [] : ['inbox_id', 'inbox'])]
  const near = nearest(name, valid)
  const hint = misplaced[name.toLowerCase()] ?? (near === null ? '' : `Did you mean "${near}"?`)
  throw new Fault('unknown_argument', {
    public: `${label(tool, action)} has no argument ${quote(name)}. ${hint}${hint === '' ? '' : ' '}Valid: ${valid.join(', ')}.`,
    details: { argument: name.slice(0, 64), ...(near === null ? {} : { nearest: near }), valid },
  })
}

/** What belongs to another action: dropped from a read with a note, refused on a write, ignored when it says nothing. */
function settleSiblings(
  tool: Tool,
  action: Action,
  { siblings }: RepairedArgs,
  note: (sentence: string) => void,
): void {
  for (const [name, value] of siblings) {
    const owners = tool.actions.filter(({ params }) => params.has(name))
    if (isNeutral(value, owners, name)) continue
    const ownerNames = owners.map(({ action: owner }) => owner).join(', ')
    if (action.effect === 'read') {
      note(`${name} was ignored: it belongs to ${ownerNames}, not to ${String(action.action)}.`)
      continue
    }
    throw new Fault('argument_not_allowed', {
      public: `${label(tool, action)} does not take "${name}"; ${ownerNames} does. Nothing was done.`,
      details: { argument: name, owners: ownerNames },
    })
  }
}

function isNeutral(value: unknown, owners: readonly Action[], name: string): boolean {
  if (value === false || value === 0 || value === '' || (Array.isArray(value) && value.length === 0))
    return true
  if (value === true || (typeof value === 'string' && value !== ''))
    return owners.some(({ params }) => params.get(name)?.default === value && value !== true)
  return owners.some(({ params }) => isDeepStrictEqual(params.get(name)?.default, value))
}

function requireAll(tool: Tool, action: Action, { own }: RepairedArgs): void {
  const missing = [...action.params.values()].find((spec) => spec.isRequired && !own.has(spec.name))
  if (missing === undefined) return
  const example = { ...(action.action === null ? {} : { action: action.action }), ...action.example }
  throw new Fault('missing_argument', {
    public: `${label(tool, action)} needs "${missing.name}", ${describeRange(missing)}. Example: ${JSON.stringify(example)}`,
    details: { action: action.action, argument: missing.name, example },
  })
}

function validate(action: Action, own: ReadonlyMap<string, unknown>): Json {
  const result = action.input.safeParse(Object.fromEntries(own))
  if (result.success) return result.data
  const name = String(result.error.issues[0]?.path[0] ?? '')
  const spec = action.params.get(name)
  const range = spec === undefined ? 'in range' : describeRange(spec)
  throw new Fault('invalid_arguments', {
    public: `"${name}" must be ${range}; ${quote(own.get(name))} was given. Nothing was done.`,
    details: { argument: name, valid: range },
  })
}

function label(tool: Tool, action: Action): string {
  return action.action === null ? tool.name : `${tool.name} ${action.action}`
}
