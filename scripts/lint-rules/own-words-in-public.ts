import { defineRule, type Context, type Variable } from '@oxlint/plugins'
import { type Node, isNameOnly, keyName, nodesWithin, propertyName, variableOf } from './nodes.ts'

/** What libraries and servers call the text they send back. */
const errorFields = (
  'message stack cause response responseText responseStatus serverResponseCode banner greeting internal ' +
  'stderr'
).split(' ')

/** What a stranger wrote; `from`, `to`, `name` and `path` are left out because ours are called so too. */
const mailFields = (
  'subject snippet html bodyText rawText filename header headers envelope displayName preview ' +
  'folderName cc bcc replyTo inReplyTo references'
).split(' ')

const foreignNames = new Set([...errorFields, ...mailFields])

/**
 * The `public` text of a Fault reaches an agent. A server's words or a mail's words in it would carry a
 * stranger's orders, so it may hold neither, not even quoted. Constants and parameters of functions in the
 * same file are followed to where their values come from.
 */
export const ownWordsInPublic = defineRule({
  meta: { type: 'problem', messages: { foreign: 'public must be our own words: {{what}} is not.' } },
  create(context) {
    return {
      Property(property) {
        if (keyName(property) !== 'public' || !isArgumentOfFault(property)) return
        for (const found of foreignWithin(property.value, context, new Set())) {
          context.report({ node: found.node, messageId: 'foreign', data: { what: found.what } })
        }
      },
    }
  },
})

function isArgumentOfFault(property: Node): boolean {
  const call = property.parent?.parent
  return call?.type === 'NewExpression' && call.callee.type === 'Identifier' && call.callee.name === 'Fault'
}

interface Found {
  readonly node: Node
  readonly what: string
}

function* foreignWithin(expression: Node, context: Context, seen: Set<Variable>): Generator<Found> {
  for (const node of nodesWithin(expression, context)) {
    if (node.type === 'MemberExpression') {
      const name = propertyName(node)
      if (name !== null && foreignNames.has(name)) yield { node, what: `.${name}` }
    }
    if (node.type !== 'Identifier' || isNameOnly(node)) continue
    const variable = variableOf(node, context)
    if (variable === null || seen.has(variable)) continue
    seen.add(variable)
    yield* foreignIn(variable, node, context, seen)
  }
}

function* foreignIn(variable: Variable, at: Node, context: Context, seen: Set<Variable>): Generator<Found> {
  for (const { type, node } of variable.defs) {
    // A field of it has been judged by its own name.
    const isFieldTaken = at.parent?.type === 'MemberExpression'
    if (type === 'CatchClause' && !isFieldTaken) yield { node: at, what: `the caught ${variable.name}` }
    if (type === 'Variable' && node.type === 'VariableDeclarator') {
      if (foreignNames.has(variable.name)) yield { node: at, what: variable.name }
      if (node.init !== null && !isFunction(node.init)) yield* foreignWithin(node.init, context, seen)
    }
    if (type === 'Parameter') {
      if (foreignNames.has(variable.name)) yield { node: at, what: variable.name }
      yield* foreignArguments(variable, node, context, seen)
    }
  }
}

function isFunction(node: Node): boolean {
  return node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression'
}

/** What callers in this file pass for a parameter that ends in a `public` text. */
function* foreignArguments(
  parameter: Variable,
  definedBy: Node,
  context: Context,
  seen: Set<Variable>,
): Generator<Found> {
  if (!('params' in definedBy) || !Array.isArray(definedBy.params)) return
  const index = definedBy.params.findIndex(
    (param: Node) => param.type === 'Identifier' && param.name === parameter.name,
  )
  for (const call of callsOf(definedBy, context)) {
    const argument = index === -1 ? undefined : call.arguments[index]
    if (argument !== undefined) yield* foreignWithin(argument, context, seen)
  }
}

function callsOf(callable: Node, context: Context) {
  const named = callable.type === 'FunctionDeclaration' ? callable.id : declaredAs(callable)
  if (named?.type !== 'Identifier') return []
  const variable = variableOf(named, context)
  return (variable?.references ?? []).flatMap(({ identifier }) => {
    const { parent } = identifier
    return parent?.type === 'CallExpression' && parent.callee === identifier ? [parent] : []
  })
}

function declaredAs(callable: Node) {
  return callable.parent?.type === 'VariableDeclarator' ? callable.parent.id : null
}
