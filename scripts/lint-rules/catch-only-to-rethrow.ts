import { defineRule, type ESTree } from '@oxlint/plugins'
import { isTestFile, packageOfPath } from '../layers.ts'
import { catchAllowed } from './catch-allowed.ts'
import { type Node, calledName } from './nodes.ts'

/**
 * An error is caught in order to be translated or cleaned up after, and then thrown on. Only the files listed
 * in catch-allowed.ts, tests with what they share, and the scripts around the product turn one into an answer, which keeps a failure
 * from looking like an empty result.
 */
export const catchOnlyToRethrow = defineRule({
  meta: {
    type: 'problem',
    messages: {
      swallowed: 'This catch does not end in a throw. Translate and rethrow, or let the error rise.',
      promise: '.catch() hides an error from its caller. Await inside try, and rethrow.',
    },
  },
  create(context) {
    if (mayEndErrors(context.filename.replaceAll('\\', '/'))) return {}
    return {
      CatchClause(clause) {
        if (!blockThrows(clause.body)) context.report({ node: clause, messageId: 'swallowed' })
      },
      CallExpression(call) {
        const isCatch = call.callee.type === 'MemberExpression' && calledName(call) === 'catch'
        if (isCatch && !endsInThrow(call.arguments[0])) context.report({ node: call, messageId: 'promise' })
      },
    }
  },
})

function endsInThrow(handler: Node | undefined): boolean {
  const isFunction = handler?.type === 'ArrowFunctionExpression' || handler?.type === 'FunctionExpression'
  return isFunction && handler.body?.type === 'BlockStatement' && blockThrows(handler.body)
}

function blockThrows(block: ESTree.BlockStatement | ESTree.FunctionBody): boolean {
  return block.body.at(-1)?.type === 'ThrowStatement'
}

function mayEndErrors(path: string): boolean {
  return (
    packageOfPath(path) === null ||
    isTestFile(path) ||
    Object.keys(catchAllowed).some((file) => path.endsWith(file))
  )
}
