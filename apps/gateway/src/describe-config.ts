import { settings } from './config.ts'
import { settingFacts, type SettingFacts } from './setting.ts'

export interface DescribedSetting extends SettingFacts {
  readonly name: string
}

/** Every setting with what is said about it, in the order of documentation. */
export function describeConfig(): readonly DescribedSetting[] {
  return Object.entries(settings.shape).map(([name, schema]) => {
    const facts = settingFacts.get(schema)
    if (facts === undefined) throw new TypeError(`the setting ${name} is not described`)
    return { name, ...facts }
  })
}

/** The text of `.env.example`: each setting with its description, its form and its default, commented out. */
export function renderEnvExample(): string {
  const blocks = describeConfig().map(({ name, description, form, default: fallback }) => {
    const note = fallback === null ? 'not set' : `default ${fallback}`
    return `# ${description}\n# ${form}; ${note}\n# ${name}=${fallback ?? ''}\n`
  })
  return `# Settings of Postern, generated from apps/gateway/src/config.ts.\n\n${blocks.join('\n')}`
}

/** The table of settings for a README. */
export function renderSettingsTable(): string {
  const rows = describeConfig().map(({ name, description, form, default: fallback }) => {
    const standard = fallback === null ? '-' : `\`${fallback}\``
    return `| \`${name}\` | ${description} | ${form} | ${standard} |`
  })
  return ['| setting | what it does | form | default |', '|---|---|---|---|', ...rows, ''].join('\n')
}
