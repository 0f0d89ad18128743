import { scopes } from '@postern/access'
import { markdownTable, withRegion, type GeneratedFile } from './generated-file.ts'

/** The table of permissions in docs/mcp-and-security.md. */
export async function generateScopes(): Promise<readonly GeneratedFile[]> {
  const rows = Object.entries(scopes).map(([scope, { title, explanation, effect }]) => [
    `\`${scope}\``,
    `${title}: ${explanation}`,
    effect,
  ])
  return [
    await withRegion(
      'docs/mcp-and-security.md',
      'scopes',
      markdownTable(['scope', 'allows', 'effect'], rows),
    ),
  ]
}
