import { Fault, quote } from '@postern/core'
import { recipientRulesSchema, type RecipientRule } from '@postern/outbox'

const kinds = {
  anyone: 'anyone',
  'same-domain': 'same_domain',
  'known-correspondents': 'known_correspondents',
  'thread-participants': 'thread_participants',
} as const

/** What `--recipients` takes, for help and refusals. */
export const recipientRuleForms = [...Object.keys(kinds), 'list:<address or @domain>,...', 'nobody'] as const

/**
 * Rules as they are typed, each of which must allow a recipient; `unset` alone takes them away.
 * @throws invalid_arguments naming the one that is none.
 */
export function parseRecipientRules(texts: readonly string[]): readonly RecipientRule[] | null {
  if (texts.length === 1 && texts[0] === 'unset') return null
  const rules = texts.map(parseRule)
  const parsed = recipientRulesSchema.safeParse(rules)
  if (parsed.success) return parsed.data
  throw refused('A list holds addresses such as amy@acme.example and domains such as @acme.example')
}

function parseRule(text: string): RecipientRule {
  if (text === 'nobody') return { kind: 'list', entries: [] }
  if (text.startsWith('list:')) {
    const entries = text
      .slice('list:'.length)
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
    if (entries.length === 0) throw refused('An empty list allows nobody: say so with nobody')
    return { kind: 'list', entries }
  }
  if (Object.hasOwn(kinds, text)) return { kind: kinds[text as keyof typeof kinds] }
  throw refused(`${quote(text)} is no rule`)
}

function refused(what: string): Fault {
  return new Fault('invalid_arguments', {
    public: `${what}. --recipients takes ${recipientRuleForms.join(', ')}, or unset alone. Nothing was changed.`,
    details: { argument: 'recipients' },
  })
}

/** As it would be typed. */
export function showRule(rule: RecipientRule): string {
  if (rule.kind !== 'list') return rule.kind.replace('_', '-')
  return rule.entries.length === 0 ? 'nobody' : `list:${rule.entries.join(',')}`
}
