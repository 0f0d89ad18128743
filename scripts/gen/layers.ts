import { apps, isPackageName, layers, libraryHomes, type PackageName } from '../layers.ts'
import { markdownTable, withRegion, type GeneratedFile } from './generated-file.ts'

/** The import table in docs/architecture.md. */
export async function generateLayers(): Promise<readonly GeneratedFile[]> {
  const rows = Object.entries(layers).map(([name, allowed]) => [
    name,
    allowed.length === 0 ? 'nothing' : allowed.join(', '),
    isPackageName(name) ? librariesOf(name) : '',
  ])
  const table = markdownTable(['package', 'may import', 'home of'], rows)
  const note = `${apps.join(' and ')} lie under \`apps/\`; only tests import fixtures.`
  return [await withRegion('docs/architecture.md', 'layers', `${table}\n\n${note}`)]
}

function librariesOf(owner: PackageName): string {
  return Object.keys(libraryHomes)
    .filter((library) => libraryHomes[library] === owner)
    .join(', ')
}
