import { defineRule } from '@oxlint/plugins'
import { calledName, nodesWithin } from './nodes.ts'

/**
 * `for await (... of client.fetch(...))` holds the connection's command queue until the loop ends. Any other
 * command inside waits for the loop, and the loop for it. Collect with `fetchAll`, then act.
 */
export const noCommandInFetchLoop = defineRule({
  meta: {
    type: 'problem',
    messages: { command: 'A command inside a fetch loop deadlocks: collect with fetchAll, then act.' },
  },
  create(context) {
    return {
      ForOfStatement(loop) {
        const { right } = loop
        if (!loop.await || right.type !== 'CallExpression' || right.callee.type !== 'MemberExpression') return
        if (calledName(right) !== 'fetch') return
        for (const node of nodesWithin(loop.body, context)) {
          if (node.type === 'AwaitExpression') context.report({ node, messageId: 'command' })
        }
      },
    }
  },
})
