import { globSync } from 'node:fs'

/** What a test file needs before it can run. */
export type TestKind = 'unit' | 'integration' | 'contract' | 'e2e'

export interface TestFile {
  /** Relative to the repository. */
  readonly path: string
  readonly kind: TestKind
}

/** Every test file of the repository, those that take longest first so that they do not end the run alone. */
export function findTestFiles(repository: string): TestFile[] {
  const paths = globSync('{packages,apps,scripts,test,bench}/**/*.test.ts', {
    cwd: repository,
    exclude: (name) => name === 'node_modules',
  })
  return paths
    .map((path) => ({ path, kind: kindOf(path) }))
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.path.localeCompare(b.path))
}

const order: readonly TestKind[] = ['contract', 'e2e', 'integration', 'unit']

function kindOf(path: string): TestKind {
  if (/\bcontract\.test\.ts$/.test(path)) return 'contract'
  if (/\.e2e\.test\.ts$|^apps\/[^/]+\/test\//.test(path)) return 'e2e'
  return path.endsWith('.integration.test.ts') ? 'integration' : 'unit'
}
