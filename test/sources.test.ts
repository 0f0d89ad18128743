import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { catchAllowed } from '../scripts/lint-rules/catch-allowed.ts'

const repository = join(import.meta.dirname, '..')

const sources = globSync('{packages,apps,scripts,test,bench}/**/*.ts', {
  cwd: repository,
  exclude: (name) => name === 'node_modules',
})

function read(path: string): string {
  return readFileSync(join(repository, path), 'utf8')
}

function pathsWith(pattern: RegExp, paths: readonly string[]): string[] {
  return paths.filter((path) => pattern.test(read(path)))
}

test('sources are plain ASCII', () => {
  assert.deepEqual(pathsWith(/[^\n\x20-\x7e]/, sources), [])
})

test('no source holds a note to do something later', () => {
  // Put together so that this file does not find itself.
  const notes = new RegExp(
    `\\b(?:${['TO', 'FIX', 'XX', 'HA'].map((half, i) => half + ['DO', 'ME', 'X', 'CK'][i]).join('|')})\\b`,
  )
  assert.deepEqual(pathsWith(notes, sources), [])
})

test("no file names a folder of somebody's machine", () => {
  const documents = globSync(['*.md', '{docs,packages,apps,.github,migrations}/**/*.{md,json,yml,sql}'], {
    cwd: repository,
    exclude: (name) => name === 'node_modules',
  })
  assert.deepEqual(pathsWith(/(?:^|[\s"'`(=])\/(?:work|home|Users)\//, [...sources, ...documents]), [])
})

test('every file that may end an error still does', () => {
  const stale = Object.keys(catchAllowed).filter(
    (path) => !sources.includes(path) || !/\bcatch\b/.test(read(path)),
  )
  assert.deepEqual(stale, [])
})
