import { Fault, quote } from '@postern/core'
import { actionHomes, actionSynonyms } from './aliases.ts'
import type { Action, Tool } from './define-tool.ts'
import { nearest } from './nearest.ts'

/**
 * The action a call means. Other case and hyphens are read as what they stand for; a synonym only for an
 * action that reads, since a write must be asked for by its name.
 * @throws missing_argument, invalid_arguments.
 */
export function chooseAction(tool: Tool, given: unknown, note: (sentence: string) => void): Action {
  const [only] = tool.actions
  if (only !== undefined && only.action === null) {
    if (given !== undefined) note('action was left out: this tool has only one.')
    return only
  }
  const names = tool.actions.flatMap(({ action }) => (action === null ? [] : [action]))
  const value: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given
  if (value === undefined || value === null) {
    throw new Fault('missing_argument', {
      public: `${tool.name} needs "action", one of ${names.join(', ')}. Nothing was done. Example: ${JSON.stringify(exampleOf(only))}`,
      details: { argument: 'action', valid: names },
    })
  }
  const found = findAction(tool, value, note)
  if (found !== null) return found
  const near = typeof value === 'string' ? nearest(value, names) : null
  const home = typeof value === 'string' ? actionHomes[`${tool.name}.${wordOf(value)}`] : undefined
  const hint = home ?? (near === null ? null : `Did you mean "${near}"?`)
  throw new Fault('invalid_arguments', {
    public: `${tool.name} has no action ${quote(value)}.${hint === null ? '' : ` ${hint}`} It has ${names.join(', ')}. Nothing was done.`,
    details: { argument: 'action', valid: names, ...(near === null ? {} : { nearest: near }) },
  })
}

function findAction(tool: Tool, value: unknown, note: (sentence: string) => void): Action | null {
  if (typeof value !== 'string') return null
  const exact = tool.actions.find(({ action }) => action === value)
  if (exact !== undefined) return exact
  const word = wordOf(value)
  const spelled = tool.actions.find(({ action }) => action === word)
  const found =
    spelled ?? tool.actions.find(({ action, effect }) => effect === 'read' && action === actionSynonyms[word])
  if (found === undefined) return null
  note(`action was read as "${String(found.action)}".`)
  return found
}

function wordOf(value: string): string {
  return value.trim().toLowerCase().replaceAll('-', '_')
}

function exampleOf(action: Action | undefined): unknown {
  return action === undefined
    ? {}
    : { ...(action.action === null ? {} : { action: action.action }), ...action.example }
}
