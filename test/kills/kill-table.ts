import { killStages, type SendKill } from './send-kills.ts'

/** What the kills of each stage came to: how many were delivered, told, and told afterwards. */
export function killTable(kills: readonly SendKill[]): string {
  const rows = killStages.map((stage) => {
    const of = kills.filter((kill) => kill.stage === stage)
    return [
      stage,
      String(of.length),
      tally(of.map(({ delivered }) => `${String(delivered)}x`)),
      tally(of.map(({ told }) => told)),
      tally(of.map(({ afterwards }) => afterwards)),
    ]
  })
  return table([['stage', 'kills', 'delivered', 'told', 'after operation_get'], ...rows])
}

function tally(values: readonly string[]): string {
  return Object.entries(Object.groupBy(values, (value) => value))
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([value, all]) => `${value}: ${String(all?.length ?? 0)}`)
    .join(', ')
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`)
    .join('')
}
