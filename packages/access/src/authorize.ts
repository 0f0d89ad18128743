import { Fault } from '@postern/core'
import type { Principal } from './principal.ts'
import type { Scope, ScopeRule } from './scopes.ts'

/** Scopes of a rule that the principal lacks: per unmet group the first one, which is the one to ask for. */
export function missingScopes(principal: Principal, rule: ScopeRule): readonly Scope[] {
  return [...new Set(unmetGroups(principal, rule).flatMap((group) => group.slice(0, 1)))]
}

function unmetGroups({ grant }: Principal, rule: ScopeRule): ScopeRule {
  return rule.filter((group) => !group.some((scope) => grant.scopes.has(scope)))
}

export function holdsScopes(principal: Principal, rule: ScopeRule): boolean {
  return missingScopes(principal, rule).length === 0
}

/** @throws insufficient_scope, with all scopes the call needs and those that are missing. */
export function requireScopes(principal: Principal, rule: ScopeRule, operation: string): void {
  const missing = missingScopes(principal, rule)
  if (missing.length === 0) return
  const required = [
    ...new Set(
      rule.flatMap((group) => group.find((scope) => principal.grant.scopes.has(scope)) ?? group.slice(0, 1)),
    ),
  ]
  // Of a group one scope is enough: the owner should know the narrower ones too.
  const lacks = unmetGroups(principal, rule).map((group) => group.join(' or '))
  throw new Fault('insufficient_scope', {
    public: `This key may not do ${operation}: it lacks ${lacks.join(' and ')}. Nothing was done. Only the owner can widen a key.`,
    details: { required_scopes: required, missing_scopes: missing },
  })
}

/** Whether the grant reaches an inbox of its own tenant. Expiry is checked where the principal is made. */
export function reachesInbox(principal: Principal, inboxId: string): boolean {
  const { inboxIds } = principal.grant
  return inboxIds === null || inboxIds.includes(inboxId.toLowerCase())
}
