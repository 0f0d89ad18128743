import { defineRule } from '@oxlint/plugins'

const suppression = /\b(?:oxlint|eslint)-disable\b|@ts-(?:expect-error|ignore|nocheck)\b/
const lineWithReason = /(?:-disable-(?:next-)?line .+ -- .{10,}|@ts-expect-error.{10,})/

/** A silenced rule says why on the same line, and is never silenced for a whole file. */
export const reasonedSuppression = defineRule({
  meta: { type: 'problem', messages: { reason: 'Silence one line, and say why: `-- reason`.' } },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          if (suppression.test(comment.value) && !lineWithReason.test(comment.value)) {
            context.report({ loc: comment.loc, messageId: 'reason' })
          }
        }
      },
    }
  },
})
