import { Fault, quote } from '@postern/core'
import { isDeepStrictEqual } from 'node:util'
import { misplaced, ownNames } from './aliases.ts'
import { chooseAction } from './choose-action.ts'
import type { Action, Json, Tool } from './define-tool.ts'
import { describeRange } from './describe-range.ts'
import { isNeutral } from './is-neutral.ts'
import { nearest } from './nearest.ts'
import { filterDefaults, searchFields } from './params.ts'
import { repairArgs, type RepairedArgs } from './repair-args.ts'
import { snakeCase } from './snake-case.ts'

export interface ParsedArgs {
  readonly action: Action
  readonly input: Json
  readonly inboxId: string | null
  readonly inbox: string | null
}

export interface ParseContext {
  /** Told as soon as it is known what is to be done, whatever becomes of the rest. */
  readonly chosen?: (action: Action) => void
  /** The scope check. */
  readonly allow: (action: Action) => void
  readonly note: (sentence: string) => void
  /** The key reaches exactly one inbox and is not told of the inbox parameters. */
  readonly isBound: boolean
}

/**
 * From what a client sent to what an action takes, in one order: names, values, action,
 * then `allow`, and only then what else is wrong with the arguments.
 * @throws an argument fault, or whatever `allow` throws.
 */
export function parseArgs(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  { chosen, allow, note, isBound }: ParseContext,
): ParsedArgs {
  const action = chooseAction(tool, givenAction(given), note)
  chosen?.(action)
  const args = repairArgs(tool, action, withoutAction(given), note)
  allow(action)
  refuseUnknown(tool, action, args, isBound)
  settleSiblings(tool, action, args, note)
  requireAll(tool, action, args)
  return { action, input: validate(action, args.own), inboxId: args.inboxId, inbox: args.inbox }
}

function isActionName(key: string): boolean {
  return key.toLowerCase() === 'action'
}

function givenAction(given: Readonly<Record<string, unknown>>): unknown {
  const [first, ...others] = Object.entries(given)
    .filter(([key, value]) => isActionName(key) && value !== null)
    .map(([, value]) => value)
  if (others.every((other) => isDeepStrictEqual(other, first))) return first
  throw new Fault('conflicting_arguments', {
    public: 'action is given twice with different values. Nothing was done.',
    details: { argument: 'action' },
  })
}

function withoutAction(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([key]) => !isActionName(key)))
}

function refuseUnknown(tool: Tool, action: Action, { unknown }: RepairedArgs, isBound: boolean): void {
  const [name] = unknown
  if (name === undefined) return
  const takesInbox = action.target !== 'key' && !isBound
  const valid = [...action.params.keys(), ...(takesInbox ? ['inbox_id', 'inbox'] : [])]
  const near = nearest(name, valid)
  const hint = misplaced[snakeCase(name)] ?? (near === null ? '' : `Did you mean "${near}"?`)
  throw new Fault('unknown_argument', {
    public: `${label(tool, action)} has no argument ${quote(name)}. ${hint}${hint === '' ? '' : ' '}details.valid has all it takes. Nothing was done.`,
    details: { argument: name.slice(0, 64), ...(near === null ? {} : { nearest: near }), valid },
  })
}

/**
 * What belongs to another action: dropped from a read with a note, refused on a write, ignored when it says nothing. A
 * filter is never dropped from a listing: its rows, or their number, would pass for an answer to what was asked.
 */
function settleSiblings(
  tool: Tool,
  action: Action,
  { own: args, siblings }: RepairedArgs,
  note: (sentence: string) => void,
): void {
  for (const [name, value] of siblings) {
    if (isNeutral(tool, name, value)) continue
    const owners = tool.actions
      .filter(({ params }) => params.has(name))
      .map(({ action: owner }) => owner)
      .join(', ')
    const own = ownNames[name]
    const instead =
      own !== undefined && action.params.has(own) ? ` ${String(action.action)} takes ${own}.` : ''
    if (name === 'folder' && takesFolders(action, args) && value !== filterDefaults.folder) {
      args.set('include_folders', [value])
      note('folder was read as include_folders.')
      continue
    }
    const isDroppable = !(name in searchFields) || !action.params.has('limit')
    if (action.effect === 'read' && isDroppable) {
      note(`${name} was ignored: it belongs to ${owners}, not to ${String(action.action)}.${instead}`)
      continue
    }
    throw new Fault('argument_not_allowed', {
      public: `${label(tool, action)} does not take "${name}"; ${owners} does.${instead} Nothing was done.`,
      details: { argument: name, owners },
    })
  }
}

function takesFolders(action: Action, own: ReadonlyMap<string, unknown>): boolean {
  return action.params.has('include_folders') && !own.has('include_folders')
}

function requireAll(tool: Tool, action: Action, { own }: RepairedArgs): void {
  const missing = [...action.params.values()].find((spec) => spec.isRequired && !own.has(spec.name))
  if (missing === undefined) return
  const example = { ...(action.action === null ? {} : { action: action.action }), ...action.example }
  throw new Fault('missing_argument', {
    public: `${label(tool, action)} needs "${missing.name}", ${describeRange(missing)}. Nothing was done. Example: ${JSON.stringify(example)}`,
    details: { action: action.action, argument: missing.name },
  })
}

function validate(action: Action, own: ReadonlyMap<string, unknown>): Json {
  const result = action.input.safeParse(Object.fromEntries(own))
  if (result.success) return result.data
  const name = String(result.error.issues[0]?.path[0] ?? '')
  const spec = action.params.get(name)
  const range = spec === undefined ? 'in range' : describeRange(spec)
  throw new Fault('invalid_arguments', {
    public: `"${name}" must be ${range}; ${describeGiven(own.get(name))} was given. Nothing was done.`,
    details: { argument: name, valid: range },
  })
}

/** The value itself where it is short; of a long one what may be wrong with it, its length. */
function describeGiven(value: unknown): string {
  if (Array.isArray(value) && value.length > 5) return `an array of ${value.length}`
  if (typeof value === 'string' && value.length > 80) return `a string of ${value.length} characters`
  return quote(value)
}

function label(tool: Tool, action: Action): string {
  return action.action === null ? tool.name : `${tool.name} ${action.action}`
}
