import { defineRule, type Context, type ESTree } from '@oxlint/plugins'
import { type Node, calledName, isNameOnly, keyName, nodesWithin, propertyName } from './nodes.ts'

const levels = new Set(['debug', 'info', 'warn', 'error', 'with'])

const mailNames = new Set(
  (
    'subject snippet html body bodyText rawText text filename header headers envelope displayName address ' +
    'email from to cc bcc replyTo query args arguments input folder folderName preview recipients ' +
    'sender'
  ).split(' '),
)

const measures = new Set(['length', 'byteLength', 'size'])

/**
 * Mail never reaches a log. The type of the fields is closed, but a spread, a computed key or a text pieced
 * together gets past a type, so a log call is written out: a constant event, then a literal object whose
 * values name nothing from a mail.
 */
export const closedLogFields = defineRule({
  meta: {
    type: 'problem',
    messages: {
      event: 'The event of a log line is a constant text.',
      spread: 'Write the fields of a log line out: a spread can carry anything.',
      mail: 'A log line must not hold {{what}}.',
    },
  },
  create(context) {
    return {
      CallExpression(call) {
        const method = logMethod(call)
        if (method === null) return
        const [first, second] = call.arguments
        const fields = method === 'with' ? first : second
        if (method !== 'with' && first !== undefined && !isConstantText(first)) {
          context.report({ node: first, messageId: 'event' })
        }
        if (fields?.type === 'ObjectExpression') checkFields(fields, context)
        else if (fields !== undefined) context.report({ node: fields, messageId: 'spread' })
      },
    }
  },
})

function logMethod(call: ESTree.CallExpression): string | null {
  const { callee } = call
  if (callee.type !== 'MemberExpression') return null
  const { object } = callee
  const owner = object.type === 'MemberExpression' ? propertyName(object) : nameOf(object)
  const method = propertyName(callee)
  return method !== null && levels.has(method) && (owner === 'log' || owner === 'logger') ? method : null
}

function nameOf(node: Node): string | null {
  return node.type === 'Identifier' ? node.name : null
}

function isConstantText(node: Node): boolean {
  if (node.type === 'ConditionalExpression')
    return isConstantText(node.consequent) && isConstantText(node.alternate)
  return node.type === 'Literal' || (node.type === 'TemplateLiteral' && node.expressions.length === 0)
}

function checkFields(fields: ESTree.ObjectExpression, context: Context): void {
  for (const property of fields.properties) {
    if (property.type === 'SpreadElement') {
      if (!isOptionalFields(property.argument, context))
        context.report({ node: property, messageId: 'spread' })
      continue
    }
    if (keyName(property) === null) context.report({ node: property, messageId: 'spread' })
    checkValue(property.value, context)
  }
}

/** `...(condition ? {} : { field: value })`, which is how an optional field is left out. */
function isOptionalFields(argument: Node, context: Context): boolean {
  if (argument.type !== 'ConditionalExpression') return false
  const branches = [argument.consequent, argument.alternate]
  for (const branch of branches) {
    if (branch.type === 'ObjectExpression') checkFields(branch, context)
  }
  return branches.every((branch) => branch.type === 'ObjectExpression')
}

function checkValue(value: Node, context: Context): void {
  for (const node of nodesWithin(value, context)) {
    const what = node.type === 'MemberExpression' ? propertyName(node) : variableName(node)
    if (what !== null && mailNames.has(what) && !isMeasured(node))
      context.report({ node, messageId: 'mail', data: { what } })
  }
}

function variableName(node: Node): string | null {
  return isNameOnly(node) ? null : nameOf(node)
}

/** `text.length` and `Buffer.byteLength(text)` tell only how much there is. */
function isMeasured({ parent }: Node): boolean {
  if (parent?.type === 'MemberExpression') return measures.has(propertyName(parent) ?? '')
  return parent?.type === 'CallExpression' && measures.has(calledName(parent) ?? '')
}
