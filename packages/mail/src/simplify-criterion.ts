import type { FolderId } from './folder.ts'
import type { Criterion } from './search-query.ts'

/**
 * The same criterion without constants, single-operand groups and double negations: `all` and `none` remain
 * only as the whole answer.
 * @param folderId the folder it will be put to, where each folder test is true or false; null leaves them.
 */
export function simplifyCriterion(criterion: Criterion, folderId: FolderId | null): Criterion {
  if (criterion.kind === 'folder' && folderId !== null) {
    return { kind: criterion.folderId === folderId ? 'all' : 'none' }
  }
  if (criterion.kind === 'not') return negate(simplifyCriterion(criterion.of, folderId))
  if (criterion.kind !== 'and' && criterion.kind !== 'or') return criterion
  const operands = criterion.of.map((operand) => simplifyCriterion(operand, folderId))
  return fold(criterion.kind, operands)
}

function negate(criterion: Criterion): Criterion {
  if (criterion.kind === 'all') return { kind: 'none' }
  if (criterion.kind === 'none') return { kind: 'all' }
  return criterion.kind === 'not' ? criterion.of : { kind: 'not', of: criterion }
}

function fold(kind: 'and' | 'or', operands: readonly Criterion[]): Criterion {
  const neutral = kind === 'and' ? 'all' : 'none'
  const deciding = kind === 'and' ? 'none' : 'all'
  const flat = operands.flatMap((operand) => (operand.kind === kind ? operand.of : [operand]))
  if (flat.some((operand) => operand.kind === deciding)) return { kind: deciding }
  const kept = flat.filter((operand) => operand.kind !== neutral)
  const [only, ...rest] = kept
  if (only === undefined) return { kind: neutral }
  return rest.length === 0 ? only : { kind, of: kept }
}
