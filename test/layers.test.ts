import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { apps, isPackageName, isTestFile, layers, libraryHomes, packageOfPath } from '../scripts/layers.ts'
import { importProblem } from '../scripts/lint-rules/imports-by-layer.ts'

const repository = join(import.meta.dirname, '..')

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as Manifest
}

const folders = globSync('{packages,apps}/*/package.json', { cwd: repository }).map((path) =>
  path.replace(/\/package\.json$/, ''),
)
const sources = globSync('{packages,apps}/**/*.ts', {
  cwd: repository,
  exclude: (name) => name === 'node_modules',
})

test('every package stands in the table, and every entry of the table is a package', () => {
  const expected = Object.keys(layers).map((name) =>
    isPackageName(name) && apps.includes(name) ? `apps/${name}` : `packages/${name}`,
  )
  assert.deepEqual(folders.toSorted(), expected.toSorted())
})

test('a manifest asks for no package that the table does not allow', () => {
  for (const folder of folders) {
    const { name, dependencies = {} } = readManifest(folder)
    const owner = packageOfPath(`${folder}/`)
    assert.ok(owner !== null && name === `@postern/${owner}`, folder)
    const wanted = Object.keys(dependencies).flatMap(
      (dependency) => /^@postern\/(.+)$/.exec(dependency)?.[1] ?? [],
    )
    const allowed: readonly string[] = layers[owner]
    const forbidden = wanted.filter((dependency) => !allowed.includes(dependency))
    assert.deepEqual(forbidden, [], `${folder}/package.json`)
  }
})

test('a library is asked for only by the package that is its home', () => {
  for (const folder of folders) {
    const owner = packageOfPath(`${folder}/`)
    const strangers = Object.keys(readManifest(folder).dependencies ?? {}).filter(
      (library) => libraryHomes[library] !== undefined && libraryHomes[library] !== owner,
    )
    assert.deepEqual(strangers, [], `${folder}/package.json`)
  }
})

test('every import follows the table and stands in the manifest of its package', () => {
  const problems = sources.flatMap((path) => {
    const owner = packageOfPath(path)
    if (owner === null) return [`${path}: in no package`]
    const folder = apps.includes(owner) ? `apps/${owner}` : `packages/${owner}`
    const { dependencies = {} } = readManifest(folder)
    return importsOf(readFileSync(join(repository, path), 'utf8')).flatMap((source) => {
      const problem = importProblem(owner, source, isTestFile(path))
      if (problem !== null) return [`${path}: ${problem}`]
      const library = /^(?:@[^/]+\/)?[^./][^/]*/.exec(source)?.[0]
      const isGiven = library === undefined || library.startsWith('node:') || library in dependencies
      return isGiven || isTestFile(path) || owner === 'fixtures'
        ? []
        : [`${path}: ${library} is not in the manifest`]
    })
  })
  assert.deepEqual(problems, [])
})

test('a manifest asks for nothing that its package does not import', () => {
  const unused = folders.flatMap((folder) => {
    const own = sources.filter((path) => path.startsWith(`${folder}/`))
    const imported = own.flatMap((path) => importsOf(readFileSync(join(repository, path), 'utf8')))
    return Object.keys(readManifest(folder).dependencies ?? {})
      .filter((name) => !imported.some((source) => source === name || source.startsWith(`${name}/`)))
      .map((name) => `${folder}: ${name}`)
  })
  assert.deepEqual(unused, [])
})

test('a package shows its index and nothing deeper', () => {
  for (const folder of folders.filter((path) => path.startsWith('packages/'))) {
    assert.deepEqual(readManifest(folder).exports, { '.': './src/index.ts' }, folder)
  }
})

test('every version is exact', () => {
  for (const folder of ['.', ...folders]) {
    const { dependencies = {}, devDependencies = {} } = readManifest(folder)
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.match(
        version,
        /^(?:npm:[@\w/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/,
        `${name} in ${folder}/package.json`,
      )
    }
  }
})

function importsOf(source: string): string[] {
  const statement =
    /^(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"\n]+)['"]|\bimport(?:\.meta\.resolve)?\(\s*['"]([^'"\n]+)['"]/gm
  return [...source.matchAll(statement)].map(([, named, dynamic]) => named ?? dynamic ?? '')
}
