import { catalog } from './catalog.ts'
import { type Action, operationName, type Tool } from './define-tool.ts'
import { describeTool } from './list-tools.ts'

/** Each tool as published to a key that may do everything: file name to content, for `__toolsnaps__/`. */
export function toolSnapshots(): ReadonlyMap<string, string> {
  return new Map(
    catalog.map((tool) => [
      `${tool.name}.json`,
      `${JSON.stringify(describeTool(tool, tool.actions, false), null, 2)}\n`,
    ]),
  )
}

/** TOOLS.md: what each tool and action is, does to the world and needs. */
export function toolsDocument(): string {
  const sections = catalog.map((tool) =>
    [`## ${tool.name}`, '', tool.description, '', ...actionTable(tool)].join('\n'),
  )
  return [
    '# Tools',
    '',
    'Generated from the catalogue by `npm run gen`.',
    '',
    sections.join('\n\n'),
    '',
  ].join('\n')
}

function actionTable(tool: Tool): readonly string[] {
  const rows = tool.actions.map(
    (action) =>
      `| ${operationName(tool, action)} | ${action.effect} | ${scopesOf(action)} | ${argumentsOf(action)} |`,
  )
  return [
    '| operation | effect | scopes | arguments (required in bold) |',
    '| --- | --- | --- | --- |',
    ...rows,
  ]
}

function scopesOf({ scopes }: Action): string {
  return scopes.length === 0 ? 'any valid key' : scopes.map((group) => group.join(' / ')).join(' + ')
}

function argumentsOf({ params }: Action): string {
  return [...params.values()].map(({ name, isRequired }) => (isRequired ? `**${name}**` : name)).join(', ')
}
