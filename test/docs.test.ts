import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'

const repository = join(import.meta.dirname, '..')

const documents = globSync('{*.md,{docs,packages,apps,migrations,scripts,bench,test,.github}/**/*.md}', {
  cwd: repository,
  exclude: (name) => name === 'node_modules',
})

/** `locate.ts`, `imap/locate.ts` and so on for every file: a document may name one by as much as tells it apart. */
const endingsOfFiles = new Set(
  globSync('{packages,apps,scripts,test,bench,migrations,docs}/**/*.*', {
    cwd: repository,
    exclude: (name) => name === 'node_modules',
  }).flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(index).join('/'))),
)

function read(path: string): string {
  return readFileSync(join(repository, path), 'utf8')
}

function lineCount(path: string): number {
  return read(path).trimEnd().split('\n').length
}

test('every link in a document leads to a file that exists', () => {
  const broken = documents.flatMap((path) =>
    linksOf(read(path))
      .filter((target) => !/^(?:https?:|mailto:|#)/.test(target))
      .map((target) => target.replace(/#.*$/, ''))
      .filter((target) => !existsSync(join(repository, dirname(path), target)))
      .map((target) => `${path}: ${target}`),
  )
  assert.deepEqual(broken, [])
})

test('every anchor in a document leads to a heading', () => {
  const broken = documents.flatMap((path) =>
    linksOf(read(path)).flatMap((target) => {
      const [, file = '', anchor] = /^([^#]*)#(.+)$/.exec(target) ?? []
      if (anchor === undefined || /^https?:/.test(target)) return []
      const within = file === '' ? path : join(dirname(path), file)
      return headingsOf(read(within)).includes(anchor) ? [] : [`${path}: ${target}`]
    }),
  )
  assert.deepEqual(broken, [])
})

test('every path in backquotes in a document exists', () => {
  const broken = documents.flatMap((path) => {
    const bases = [repository, join(repository, dirname(path))]
    return pathsOf(read(path))
      .filter((named) => !bases.some((base) => existsSync(join(base, named))) && !endingsOfFiles.has(named))
      .map((named) => `${path}: ${named}`)
  })
  assert.deepEqual(broken, [])
})

test('every package has a README of at most 60 lines', () => {
  for (const manifest of globSync('{packages,apps}/*/package.json', { cwd: repository })) {
    const readme = join(dirname(manifest), 'README.md')
    assert.ok(existsSync(join(repository, readme)), `${readme} is missing`)
    assert.ok(lineCount(readme) <= 60, `${readme} has ${String(lineCount(readme))} lines`)
  }
})

test('AGENTS.md has at most 100 lines', () => {
  assert.ok(lineCount('AGENTS.md') <= 100)
})

test('every decision has its four parts and a number of its own', () => {
  const decisions = documents.filter((path) => /^docs\/decisions\/\d/.test(path))
  const numbers = decisions.map((path) => /\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1])
  assert.equal(new Set(numbers).size, decisions.length)
  for (const path of decisions) {
    const parts = ['## Context', '## Choice', '## Cost', '## When to revisit']
    assert.deepEqual(
      read(path)
        .split('\n')
        .filter((line) => line.startsWith('## ')),
      parts,
      path,
    )
  }
})

test('every library that we chose has its decision', () => {
  const decisions = documents
    .filter((path) => path.startsWith('docs/decisions/'))
    .map(read)
    .join('\n')
  const manifests = globSync('{.,packages/*,apps/*}/package.json', { cwd: repository }).map(
    (path) =>
      JSON.parse(read(path)) as Record<
        'dependencies' | 'devDependencies',
        Record<string, string> | undefined
      >,
  )
  const names = manifests.flatMap(({ dependencies = {}, devDependencies = {} }) =>
    Object.keys({ ...dependencies, ...devDependencies }),
  )
  const undecided = [...new Set(names)].filter(
    (name) => !name.startsWith('@postern/') && !decisions.includes(`\`${name}\``),
  )
  assert.deepEqual(undecided, [])
})

test('documents carry no line numbers of code', () => {
  for (const path of documents) assert.doesNotMatch(read(path), /\.ts:\d+/, path)
})

test('every RFC that code cites stands among the sources', () => {
  const code = globSync('{packages,apps,migrations}/**/*.{ts,sql}', {
    cwd: repository,
    exclude: (name) => name === 'node_modules',
  })
  const ledger = read('docs/specs.md')
  const cited = new Set(code.flatMap((path) => read(path).match(/\bRFC \d+/g) ?? []))
  assert.deepEqual([...cited].filter((name) => !new RegExp(`${name}\\b`).test(ledger)).toSorted(), [])
})

test('the lock file names no registry', () => {
  assert.doesNotMatch(read('package-lock.json'), /"resolved": "https?:/)
})

/** Targets of `[text](target)`, outside code. */
function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}

/** Backquoted words that look like a path of this repository: with a slash, and with a folder of ours first or an ending. */
function pathsOf(text: string): string[] {
  const spans = [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  return spans.filter(
    (span) =>
      /^(?:\.\/)?(?:packages|apps|docs|scripts|migrations|test|bench|\.github|\.ci)\/[\w./-]+$/.test(span) ||
      /^[\w-]+(?:\/[\w-]+)*\.(?:ts|md|sql|json|yml)$/.test(span),
  )
}

function headingsOf(text: string): string[] {
  return [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

function withoutBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}

function withoutCode(text: string): string {
  return withoutBlocks(text).replace(/`[^`\n]*`/g, '')
}
