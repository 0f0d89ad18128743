import { bodyEntity } from './body.ts'
import type { Notice } from './content.ts'
import { deliver, domainOf, type World } from './delivery.ts'
import type { SandboxMessage } from './sandbox-message.ts'
import { expandDates, momentOf } from './timeline.ts'

/** What machines send: one message per row of the table, its cells filled into the templates. */
export function noticeMessages(world: World, notice: Notice): SandboxMessage[] {
  return notice.rows.map((row, index) => {
    const label = `${notice.key}/${index}`
    const cells = new Map(notice.columns.map((column, place) => [column, row[place] ?? '']))
    const date = momentOf(cells.get('ago') ?? '', world.now)
    const fill = (template: string): string => expandDates(fillCells(template, cells), date, 'en-GB')
    const files =
      notice.file === undefined ? [] : [{ name: fill(notice.file.name), lines: notice.file.lines.map(fill) }]
    return deliver(world, {
      label,
      head: {
        from: notice.from,
        to: [world.owner],
        subject: fill(notice.subject),
        date,
        extra: ['Auto-Submitted: auto-generated'],
      },
      entity: bodyEntity(world, {
        label,
        form: notice.form,
        text: `${notice.text.map(fill).join('\n\n')}\n`,
        files,
      }),
      folder: notice.folder,
      returnPath: `bounces@${domainOf(notice.from.email)}`,
    })
  })
}

/** Cells may hold dates to expand, but no further cells. */
function fillCells(template: string, cells: ReadonlyMap<string, string>): string {
  return template.replace(/\{([a-z]+)\}/g, (whole, column: string) => cells.get(column) ?? whole)
}
