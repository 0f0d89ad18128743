import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The repository's root. */
export const repository = join(import.meta.dirname, '../..')

/** What a generated file should hold; null: it should not be there. */
export interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string
  readonly content: string | null
}

/** A source of generated files. It writes nothing itself, so that it can be compared as well as written. */
export type Generator = () => Promise<readonly GeneratedFile[]>

/** The text of a file of the repository, or null when there is none. */
export async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(join(repository, path), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/**
 * A hand-written document with one generated region in it, which stands between two comments.
 * @throws Error when the document lacks the region.
 */
export async function withRegion(path: string, name: string, body: string): Promise<GeneratedFile> {
  const text = (await readText(path)) ?? ''
  const begin = `<!-- begin generated: ${name} -->`
  const end = `<!-- end generated: ${name} -->`
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from === -1 || to < from) throw new Error(`${path} lacks the lines "${begin}" and "${end}".`)
  return { path, content: `${text.slice(0, from + begin.length)}\n\n${body.trim()}\n\n${text.slice(to)}` }
}

/** A Markdown table; the formatter pads its columns. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
