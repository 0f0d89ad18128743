import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * `npm run licences`: the licence of every package in the lock file that ships, by licence. Fails on one that
 * is neither permissive nor weak copyleft, so also on a missing one: strong copyleft would bind what we ship.
 */
const repository = join(import.meta.dirname, '..')

const acceptable = new Set(
  (
    '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 CC-BY-3.0 CC-BY-4.0 ISC MIT MIT-0 ' +
    'PostgreSQL Python-2.0 Unlicense Zlib LGPL-2.1-or-later LGPL-3.0-or-later MPL-2.0'
  ).split(' '),
)

interface LockedPackage {
  readonly dev?: boolean
  readonly link?: boolean
  readonly license?: string
}

const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}
const shipped = Object.entries(lock.packages).filter(
  ([path, entry]) => path.includes('node_modules/') && entry.dev !== true && entry.link !== true,
)
const licences = await Promise.all(
  shipped.map(async ([path, entry]) => ({ name: nameOf(path), licence: await licenceOf(path, entry) })),
)
const byLicence = Map.groupBy(licences, ({ licence }) => licence)
for (const [licence, packages] of [...byLicence].toSorted(([a], [b]) => a.localeCompare(b))) {
  const names = [...new Set(packages.map(({ name }) => name))].toSorted()
  console.log(`${licence}: ${names.join(', ')}`)
}
const refused = licences.filter(({ licence }) => !isAcceptable(licence))
for (const { name, licence } of refused)
  console.error(`${name} has the licence ${licence}, which we do not ship.`)
process.exitCode = refused.length === 0 ? 0 : 1

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** The lock file's word, else that of the installed package; builds for other systems are not installed. */
async function licenceOf(path: string, { license }: LockedPackage): Promise<string> {
  if (license !== undefined) return license
  const manifest = join(repository, path, 'package.json')
  if (!existsSync(manifest)) return 'none'
  const parsed = JSON.parse(await readFile(manifest, 'utf8')) as { readonly license?: unknown }
  return typeof parsed.license === 'string' ? parsed.license : 'none'
}

/** SPDX: one of alternatives joined by OR is enough, of those joined by AND each counts. */
function isAcceptable(expression: string): boolean {
  const bare = expression.replace(/[()]/g, '').trim()
  return bare.split(/\s+OR\s+/).some((choice) => choice.split(/\s+AND\s+/).every((id) => acceptable.has(id)))
}
