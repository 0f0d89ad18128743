import type { Degraded, QueryNode } from '@postern/mail'

/** Messages of one search that an adapter examines itself at most. */
const maxExamined = '2,000'

/** Why a search may have missed something or found too much, one sentence of ours for each cause. */
export function describeDegraded(degraded: readonly Degraded[], node: QueryNode): readonly string[] {
  const asked = criteriaOf(node)
  const sentences: Record<Degraded, string> = {
    charset: `charset: this mail server cannot search bodies for text beyond ASCII, so matches by ${joined(asked.wideBody, 'body')} may be missing.`,
    local_limit: `local_limit: ${joined(asked.examined, 'a criterion')} had to be examined message by message, which was done for the newest ${maxExamined} candidates only. A narrower search, by since or include_folders, needs fewer.`,
    body_as_text:
      'body_as_text: this mailbox searches headers and bodies together, so a match by body may lie in a header.',
  }
  return degraded.map((cause) => sentences[cause])
}

interface Asked {
  readonly wideBody: ReadonlySet<string>
  readonly examined: ReadonlySet<string>
}

/** Criteria that a mail server may be unable to decide, in the words of the arguments. */
function criteriaOf(node: QueryNode): Asked {
  const wideBody = new Set<string>()
  const examined = new Set<string>()
  const visit = (part: QueryNode): void => {
    if (part.kind === 'and' || part.kind === 'or') part.of.forEach(visit)
    else if (part.kind === 'not') visit(part.of)
    else if (part.kind === 'attachment') examined.add('has_attachment')
    else if (part.kind === 'filename') examined.add('filename')
    else if (part.kind === 'text' && /[^\0-\x7f]/.test(part.value)) {
      const isBody = part.field === 'body' || part.field === 'text'
      ;(isBody ? wideBody : examined).add(part.field)
    }
  }
  visit(node)
  return { wideBody, examined }
}

function joined(names: ReadonlySet<string>, fallback: string): string {
  return names.size === 0 ? fallback : [...names].join(' and ')
}
