import { describeConfig, renderEnvExample } from '../../apps/gateway/src/describe-config.ts'
import { markdownTable, withRegion, type GeneratedFile } from './generated-file.ts'

/** `.env.example` and the table of settings in the README, from the schema that reads them. */
export async function generateConfiguration(): Promise<readonly GeneratedFile[]> {
  const rows = describeConfig().map(({ name, description, form, default: value, isSecret }) => [
    `\`${name}\``,
    value === null ? '' : `\`${value}\``,
    `${description}${isSecret ? ' Secret.' : ''}`,
    form,
  ])
  const table = markdownTable(['setting', 'default', 'meaning', 'form'], rows)
  return [
    { path: '.env.example', content: renderEnvExample() },
    await withRegion('README.md', 'configuration', table),
  ]
}
