import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { generateChecks } from './gen/checks.ts'
import { generateConfiguration } from './gen/configuration.ts'
import { readText, repository, type GeneratedFile, type Generator } from './gen/generated-file.ts'
import { generateLayers } from './gen/layers.ts'
import { generateStoreSchema } from './gen/schema.ts'
import { generateScopes } from './gen/scopes.ts'
import { generateTools } from './gen/tools.ts'

/**
 * `npm run gen` writes everything that is derived from something else; `npm run gen -- --check` writes nothing
 * and fails when a file differs from what would be written.
 */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

const generators: Readonly<Record<string, Generator>> = {
  configuration: generateConfiguration,
  schema: generateStoreSchema,
  tools: generateTools,
  scopes: generateScopes,
  layers: generateLayers,
  checks: generateChecks,
}

const problems: string[] = []
for (const [name, generate] of Object.entries(generators)) {
  try {
    // One after the other: two of them may write regions of the same document.
    for (const file of await generate()) await settle(file)
  } catch (error) {
    problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

async function settle({ path, content: generated }: GeneratedFile): Promise<void> {
  const content = generated !== null && path.endsWith('.md') ? await format(path, generated) : generated
  if ((await readText(path)) === content) return
  if (values.check) {
    problems.push(`${path} is not what \`npm run gen\` writes`)
    return
  }
  const target = join(repository, path)
  if (content === null) await rm(target)
  else {
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
  }
  console.log(`wrote ${path}`)
}

/** As `npm run format` would leave it, so that the two never undo each other. */
async function format(path: string, content: string): Promise<string> {
  const formatting = promisify(execFile)('oxfmt', [`--stdin-filepath=${path}`], { cwd: repository })
  formatting.child.stdin?.end(content)
  return (await formatting).stdout
}
