import { renderEnvExample, renderSettingsTable } from '../../apps/gateway/src/describe-config.ts'
import { withRegion, type GeneratedFile } from './generated-file.ts'

/** `.env.example` and the table of settings in the README, from the schema that reads them. */
export async function generateConfiguration(): Promise<readonly GeneratedFile[]> {
  return [
    { path: '.env.example', content: renderEnvExample() },
    await withRegion('README.md', 'configuration', renderSettingsTable()),
  ]
}
