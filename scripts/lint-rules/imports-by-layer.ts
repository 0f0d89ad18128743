import { defineRule } from '@oxlint/plugins'
import {
  isPackageName,
  isTestFile,
  layers,
  libraryHomes,
  packageOfPath,
  type PackageName,
} from '../layers.ts'

/** Holds each import to the table in scripts/layers.ts. */
export const importsByLayer = defineRule({
  meta: { type: 'problem', messages: { layer: '{{problem}}' } },
  create(context) {
    const path = context.filename.replaceAll('\\', '/')
    const owner = packageOfPath(path)
    const check = (node: { readonly source: { readonly value: unknown } | null }): string | null =>
      owner === null || typeof node.source?.value !== 'string'
        ? null
        : importProblem(owner, node.source.value, isTestFile(path))
    return {
      ImportDeclaration(node) {
        const problem = check(node)
        if (problem !== null) context.report({ node, messageId: 'layer', data: { problem } })
      },
      ExportNamedDeclaration(node) {
        const problem = check(node)
        if (problem !== null) context.report({ node, messageId: 'layer', data: { problem } })
      },
      ExportAllDeclaration(node) {
        const problem = check(node)
        if (problem !== null) context.report({ node, messageId: 'layer', data: { problem } })
      },
      ImportExpression(node) {
        const { source } = node
        const problem = source.type === 'Literal' ? check({ source }) : null
        if (problem !== null) context.report({ node, messageId: 'layer', data: { problem } })
      },
    }
  },
})

/** Why a file of `owner` may not import `source`, or null when it may. */
export function importProblem(owner: PackageName, source: string, inTest: boolean): string | null {
  const [, imported, deeper] = /^@postern\/([a-z-]+)(\/.+)?$/.exec(source) ?? []
  if (imported !== undefined) return packageProblem(owner, imported, deeper, inTest)
  if (/^(?:\.\.\/)+(?:packages|apps)\//.test(source)) return `${source}: import packages by name.`
  const library = /^(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? source
  const home = libraryHomes[source] ?? libraryHomes[library]
  if (home === undefined || home === owner || inTest) return null
  return `${library} lives in ${home}: ${owner} reaches it through ${home}'s own functions.`
}

function packageProblem(
  owner: PackageName,
  imported: string,
  deeper: string | undefined,
  inTest: boolean,
): string | null {
  if (!isPackageName(imported)) return `@postern/${imported} is not a package of this repository.`
  if (imported === owner) return `${owner} imports itself by name; use a relative path.`
  if (imported === 'gateway' && deeper !== '/start' && deeper !== '/wire') {
    return 'Of the gateway only start and wire may be imported.'
  }
  if (imported !== 'gateway' && deeper !== undefined) return `Import @postern/${imported}, nothing deeper.`
  if (imported === 'fixtures' && inTest) return null
  const allowed: readonly string[] = layers[owner]
  return allowed.includes(imported) ? null : `${owner} may not import ${imported} (scripts/layers.ts).`
}
