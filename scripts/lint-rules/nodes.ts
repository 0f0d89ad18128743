import type { Context, ESTree, Variable } from '@oxlint/plugins'

/** Any node of the tree, with its own fields. */
export type Node = ESTree.Node

/** `node` and everything below it, in no particular order. */
export function* nodesWithin(node: Node, context: Context): Generator<Node> {
  const pending: Node[] = [node]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield next
    pending.push(...childrenOf(next, context))
  }
}

function childrenOf(node: Node, context: Context): Node[] {
  const keys = context.sourceCode.visitorKeys[node.type] ?? []
  const values: unknown[] = keys.flatMap((key) => Reflect.get(node, key) as unknown)
  return values.filter(isNode)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** What an identifier stands for in its scope, or null for a global or an import that was not found. */
export function variableOf(identifier: Node & { readonly name: string }, context: Context): Variable | null {
  const start = context.sourceCode.getScope(identifier)
  for (let scope: typeof start | null = start; scope !== null; scope = scope.upper) {
    const variable = scope.set.get(identifier.name)
    if (variable !== undefined) return variable
  }
  return null
}

/** `name` of `name(...)` and of `object.name(...)`. */
export function calledName(call: ESTree.CallExpression): string | null {
  const { callee } = call
  if (callee.type === 'Identifier') return callee.name
  return callee.type === 'MemberExpression' ? propertyName(callee) : null
}

/** The name after the dot, or in quotes between brackets. */
export function propertyName(member: ESTree.MemberExpression): string | null {
  const { property } = member
  if (!member.computed && property.type === 'Identifier') return property.name
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : null
}

/** The key of `{ key: value }`, or null when it is computed. */
export function keyName(property: { readonly key: Node; readonly computed: boolean }): string | null {
  const { key } = property
  if (property.computed) return null
  if (key.type === 'Identifier') return key.name
  return key.type === 'Literal' && typeof key.value === 'string' ? key.value : null
}

/** True for an identifier that reads no variable: `name` in `object.name`, `{ name: value }` and a pattern. */
export function isNameOnly(identifier: Node): boolean {
  const { parent } = identifier
  if (parent?.type === 'MemberExpression') return parent.property === identifier && !parent.computed
  if (parent?.type !== 'Property') return false
  if (parent.parent.type === 'ObjectPattern') return true
  return parent.key === identifier && !parent.computed && !parent.shorthand
}
