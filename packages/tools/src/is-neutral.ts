import { isDeepStrictEqual } from 'node:util'
import type { Tool } from './define-tool.ts'

/**
 * Whether a value of an argument that only other actions of the tool take says nothing: clients that fill in every
 * parameter send such. Never `true` and never text, which somebody meant.
 */
export function isNeutral(tool: Tool, name: string, value: unknown): boolean {
  if (value === true || (typeof value === 'string' && value !== '')) return false
  if (value === false || value === 0 || value === '') return true
  if (Array.isArray(value) && value.length === 0) return true
  return tool.actions.some(({ params }) => {
    const fallback = params.get(name)?.default
    return fallback !== undefined && isDeepStrictEqual(fallback, value)
  })
}
