import { readFile } from 'node:fs/promises'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { markdownTable, readText, repository, type GeneratedFile } from './generated-file.ts'

/** Guarantee by number, by the milestone that brings it. */
type Plan = Readonly<Record<string, Readonly<Record<string, string>>>>

const plan = 'docs/checks-plan.json'
const highest = 248
/** Milestones that are reached: every guarantee of theirs has its test. */
const reached: ReadonlySet<string> = new Set(['foundation', 'writing'])

interface Covering {
  readonly title: string
  readonly path: string
}

/**
 * docs/checks.md: each guarantee of the product with the test that holds it. Titles are the source: a test
 * that holds guarantee 12 says `check 12` in its title.
 * @throws Error naming every number that has neither a test nor a later milestone, and titles with no number of ours.
 */
export async function generateChecks(): Promise<readonly GeneratedFile[]> {
  const planned = parsePlan(await readText(plan))
  const tests = await coveringTests()
  const problems = [...missing(planned, tests), ...unknown(planned, tests)]
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return [{ path: 'docs/checks.md', content: render(planned, tests) }]
}

interface Planned {
  readonly guarantee: string
  readonly milestone: string
}

function parsePlan(text: string | null): Map<number, Planned> {
  if (text === null) throw new Error(`${plan} is missing.`)
  const milestones = JSON.parse(text) as Plan
  const entries = Object.entries(milestones).flatMap(([milestone, guarantees]) =>
    Object.entries(guarantees).map(
      ([number, guarantee]) => [Number(number), { guarantee, milestone }] as const,
    ),
  )
  return new Map(entries.toSorted(([a], [b]) => a - b))
}

async function coveringTests(): Promise<Map<number, Covering[]>> {
  const found = new Map<number, Covering[]>()
  const pattern = '{packages,apps,scripts,test,bench}/**/{*.test.ts,contract.ts,contract/*.ts}'
  for (const path of globSync(pattern, {
    cwd: repository,
    exclude: (name) => name === 'node_modules',
  }).toSorted()) {
    for (const title of testTitles(await readFile(join(repository, path), 'utf8'))) {
      for (const number of numbersIn(title))
        found.set(number, [...(found.get(number) ?? []), { title, path }])
    }
  }
  return found
}

/** The first argument of every test, suite or rule run in a source text, where it is a text. */
export function testTitles(source: string): string[] {
  const call =
    /\b(?:test|it|describe|suite|run)\(\s*(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`)/g
  return [...source.matchAll(call)].map(([, single, double, template]) => single ?? double ?? template ?? '')
}

/** `check 7`, `checks 9, 10 and 12`, `checks 9-13`. */
export function numbersIn(title: string): number[] {
  const mentions = title.matchAll(/\bchecks?\s+(\d+(?:\s*(?:,|and|-)\s*\d+)*)/g)
  return [...mentions].flatMap(([, list = '']) =>
    [...list.matchAll(/(\d+)(?:\s*-\s*(\d+))?/g)].flatMap(([, from, to]) =>
      range(Number(from), Number(to ?? from)),
    ),
  )
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}

function missing(planned: Map<number, Planned>, tests: Map<number, Covering[]>): string[] {
  return range(1, highest).flatMap((number) => {
    const entry = planned.get(number)
    if (entry === undefined) return [`check ${String(number)} is not in ${plan}`]
    const isDue = reached.has(entry.milestone) && !tests.has(number)
    return isDue ? [`check ${String(number)} has no test: ${entry.guarantee}`] : []
  })
}

function unknown(planned: Map<number, Planned>, tests: Map<number, Covering[]>): string[] {
  return [...tests].flatMap(([number, covering]) =>
    planned.has(number)
      ? []
      : covering.map(({ path }) => `${path} names check ${String(number)}, which does not exist`),
  )
}

function render(planned: Map<number, Planned>, tests: Map<number, Covering[]>): string {
  const rows = [...planned].map(([number, { guarantee, milestone }]) => {
    const links = (tests.get(number) ?? []).map(({ path }) => `[${path.replace(/^.*\//, '')}](../${path})`)
    const later = reached.has(milestone)
      ? []
      : [`${links.length === 0 ? 'later' : 'the rest later'}: ${milestone}`]
    return [String(number), guarantee, [...new Set(links), ...later].join(', ')]
  })
  return [
    '# What is guaranteed, and what holds it',
    '',
    'Written by `npm run gen` from the titles of the tests and from [checks-plan.json](checks-plan.json).',
    'A guarantee with no test yet names the milestone that brings it.',
    '',
    markdownTable(['check', 'guarantee', 'test'], rows),
    '',
  ].join('\n')
}
