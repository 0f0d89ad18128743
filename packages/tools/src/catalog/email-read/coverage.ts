import type { Coverage } from '@postern/mail'
import type { ActionContext } from '../../define-tool.ts'
import type { Search } from './filters.ts'
import type { Answer } from './search.ts'

/** Folders a result names before it only counts the rest. */
const maxListedFolders = 50

interface RenderedCoverage {
  readonly complete: boolean
  readonly folders_searched: string[]
  readonly folders_failed: { folder_id: string; code: string; inbox_id?: string }[]
  readonly degraded: string[]
  readonly matching: string
  readonly resolved: Search['resolved']
  readonly inboxes_searched?: string[]
  readonly inboxes_failed?: { inbox_id: string; code: string }[]
}

/** What a search covered, over every inbox it was put to (tools.md 4.0, completeness fields). */
export function renderCoverage(
  answers: readonly Answer[],
  question: Search,
  context: ActionContext,
): RenderedCoverage {
  const isFanOut = answers.length > 1
  const pages = answers.flatMap(({ inbox, value: page }) => (page === null ? [] : [{ inbox, page }]))
  const failed = answers.flatMap(({ inbox, fault }) =>
    fault === null ? [] : [{ inbox_id: inbox.inboxId, code: fault.code }],
  )
  const searched = pages.flatMap(({ page }) => page.foldersSearched)
  if (searched.length > maxListedFolders) {
    context.note(
      `${searched.length} folders were searched; folders_searched names the first ${maxListedFolders}.`,
    )
  }
  const kinds = new Set(answers.map(({ inbox }) => context.deps.capabilitiesOf(inbox.provider).matching))
  return {
    complete:
      failed.length === 0 && context.skippedInboxes === 0 && pages.every(({ page }) => isComplete(page)),
    folders_searched: searched.slice(0, maxListedFolders),
    folders_failed: pages.flatMap(({ inbox, page }) =>
      page.foldersFailed.map(({ folderId, code }) => ({
        folder_id: folderId,
        code,
        ...(isFanOut ? { inbox_id: inbox.inboxId } : {}),
      })),
    ),
    degraded: [...new Set(pages.flatMap(({ page }) => page.degraded))],
    matching: [...kinds].join(' and '),
    resolved: question.resolved,
    ...(isFanOut
      ? { inboxes_searched: pages.map(({ inbox }) => inbox.inboxId), inboxes_failed: failed }
      : {}),
  }
}

/** True exactly when nothing can be missing; `body_as_text` may only add. */
export function isComplete({ foldersFailed, degraded }: Coverage): boolean {
  return foldersFailed.length === 0 && !degraded.includes('charset') && !degraded.includes('local_limit')
}
