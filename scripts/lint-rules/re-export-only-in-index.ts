import { defineRule, type ESTree } from '@oxlint/plugins'

/** What a package shows: its index, and of the gateway the two files that its manifest names. */
const entry = /(?:^|\/)index\.ts$|\/apps\/gateway\/src\/(?:start|wire)\.ts$/

/**
 * A file that only passes others' exports on hides where things live; each package has one entry. A file may
 * also pass on what lies in the folder of its own name, which is the rest of it.
 */
export const reExportOnlyInIndex = defineRule({
  meta: { type: 'problem', messages: { barrel: 'Only index.ts re-exports: import from where it is made.' } },
  create(context) {
    const path = context.filename.replaceAll('\\', '/')
    if (entry.test(path)) return {}
    const ownFolder = `./${path.replace(/^.*\//, '').replace(/\.ts$/, '')}/`
    const check = (node: ESTree.ExportAllDeclaration | ESTree.ExportNamedDeclaration): void => {
      if (node.source !== null && !node.source.value.startsWith(ownFolder)) {
        context.report({ node, messageId: 'barrel' })
      }
    }
    return { ExportAllDeclaration: check, ExportNamedDeclaration: check }
  },
})
