import { indent, printable } from './layout.ts'

const deepest = 12

/** JSON for reading: names and values a line each, what is inside set in, no quotes and no braces. */
export function renderValue(value: unknown, depth = 0): string {
  if (Array.isArray(value)) return renderList(value, depth)
  if (typeof value === 'object' && value !== null) return renderObject(value, depth)
  return `${renderScalar(value)}\n`
}

function renderObject(value: object, depth: number): string {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  if (entries.length === 0) return '(nothing)\n'
  return entries.map(([name, inner]) => renderEntry(name, inner, depth)).join('')
}

function renderEntry(name: string, value: unknown, depth: number): string {
  const label = `${printable(name)}:`
  if (isEmpty(value)) return `${label} (none)\n`
  if (isFlatList(value)) return `${label} ${value.map(renderScalar).join(', ')}\n`
  if (typeof value === 'object' && value !== null) {
    if (depth >= deepest) return `${label} ...\n`
    return `${label}\n${indent(renderValue(value, depth + 1))}`
  }
  const text = renderScalar(value)
  return text.includes('\n') ? `${label}\n${indent(`${text}\n`, 4)}` : `${label} ${text}\n`
}

function renderList(values: readonly unknown[], depth: number): string {
  if (values.length === 0) return '(none)\n'
  if (depth >= deepest) return '...\n'
  return values.map((value) => `- ${indent(renderValue(value, depth + 1)).trimStart()}`).join('')
}

function renderScalar(value: unknown): string {
  if (typeof value === 'string') return printable(value).trimEnd()
  if (value === null) return '-'
  return JSON.stringify(value)
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** A short list of plain values is easier to read on one line. */
function isFlatList(value: unknown): value is readonly (string | number | boolean | null)[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item !== 'object' || item === null) &&
    value.every((item) => typeof item !== 'string' || !item.includes('\n')) &&
    JSON.stringify(value).length <= 100
  )
}
