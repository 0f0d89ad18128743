/** The revision whose requests each carry their own envelope in `_meta`. */
export const modernRevisions = ['2026-07-28'] as const

/** Revisions that begin with `initialize`, newest first: what is answered to a revision we do not speak. */
export const legacyRevisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

export const allRevisions: readonly string[] = [...modernRevisions, ...legacyRevisions]

export function isModernRevision(text: unknown): boolean {
  return (modernRevisions as readonly unknown[]).includes(text)
}

export function isLegacyRevision(text: unknown): boolean {
  return (legacyRevisions as readonly unknown[]).includes(text)
}
