import type { Json } from '@postern/access'

/** Characters of JSON that the ledger keeps of a result. */
export const maxResultChars = 8_000

/**
 * A result as the ledger keeps it. What is too long loses its arrays first, the longest before the others, and says
 * so in `results_omitted`; ids and counts are what a repeated call needs.
 */
export function cutResult(
  result: Readonly<Record<string, Json | undefined>>,
): Readonly<Record<string, Json>> {
  let kept = JSON.parse(JSON.stringify(result, storable)) as Readonly<Record<string, Json>>
  const byLength = Object.entries(kept)
    .map(([name, value]) => ({ name, isList: Array.isArray(value), length: JSON.stringify(value).length }))
    .sort((a, b) => Number(b.isList) - Number(a.isList) || b.length - a.length)
  for (const { name } of byLength) {
    if (JSON.stringify(kept).length <= maxResultChars) break
    const { [name]: _, ...rest } = kept
    kept = { ...rest, results_omitted: true }
  }
  return kept
}

/** PostgreSQL keeps neither NUL nor half a surrogate pair, and a settlement that fails leaves a write unknown. */
function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value
}
