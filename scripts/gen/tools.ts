import { globSync } from 'node:fs'
import { toolsDocument, toolSnapshots } from '@postern/tools'
import { repository, type GeneratedFile } from './generated-file.ts'

const folder = 'packages/tools/src/__toolsnaps__'

/** The published form of each tool, and the document that lists them all. */
export async function generateTools(): Promise<readonly GeneratedFile[]> {
  const snapshots = toolSnapshots()
  const stale = globSync('*.json', { cwd: `${repository}/${folder}` }).filter((name) => !snapshots.has(name))
  return [
    { path: 'packages/tools/TOOLS.md', content: toolsDocument() },
    ...[...snapshots].map(([name, content]) => ({ path: `${folder}/${name}`, content })),
    ...stale.map((name) => ({ path: `${folder}/${name}`, content: null })),
  ]
}
