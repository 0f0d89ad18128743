import { defineRule } from '@oxlint/plugins'
import { calledName } from './nodes.ts'

const builders = new Set(
  (
    'selectFrom insertInto updateTable deleteFrom mergeInto replaceInto selectNoFrom selectAll ' +
    'executeTakeFirst executeTakeFirstOrThrow'
  ).split(' '),
)

/** Queries live in the store, where every one takes a tenant's transaction first. */
export const sqlOnlyInStore = defineRule({
  meta: {
    type: 'problem',
    messages: { query: '{{name}} outside packages/store: add a store function instead.' },
  },
  create(context) {
    return {
      CallExpression(call) {
        const name = call.callee.type === 'MemberExpression' ? calledName(call) : null
        if (name !== null && builders.has(name))
          context.report({ node: call, messageId: 'query', data: { name } })
      },
    }
  },
})
