import type { Coverage, SearchPage } from '@postern/mail'
import { fitItems } from '../../budget.ts'
import type { ActionContext } from '../../define-tool.ts'
import type { Search } from './filters.ts'
import { describeDegraded } from './inexact.ts'
import type { Answer } from './answer.ts'

/** Folders a result names before it only counts the rest, and the tokens that their names may take. */
const maxListedFolders = 50
const maxListedTokens = 1_000

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

/** What a search covered, over every inbox it was put to. */
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
  const degraded = [...new Set(pages.flatMap(({ page }) => page.degraded))]
  for (const sentence of describeDegraded(degraded, question.node)) context.note(sentence)
  const kinds = new Set(answers.map(({ inbox }) => context.deps.capabilitiesOf(inbox.provider).matching))
  return {
    complete:
      failed.length === 0 && context.skippedInboxes === 0 && pages.every(({ page }) => isComplete(page)),
    folders_searched: listFolders(
      pages.flatMap(({ page }) => page.foldersSearched),
      context,
    ),
    folders_failed: listFailed(pages, isFanOut, context),
    degraded,
    matching: [...kinds].join(' and '),
    resolved: question.resolved,
    ...(isFanOut
      ? { inboxes_searched: pages.map(({ inbox }) => inbox.inboxId), inboxes_failed: failed }
      : {}),
  }
}

/** Ids as a result names them: each once, since folders of several inboxes have the same, and as many as fit. */
export function listFolders(folderIds: readonly string[], { note }: Pick<ActionContext, 'note'>): string[] {
  const each = [...new Set(folderIds)]
  const listed = fitItems(each.slice(0, maxListedFolders), maxListedTokens)
  if (listed.length < each.length)
    note(`${each.length} folders were searched; folders_searched names the first ${listed.length}.`)
  return [...listed]
}

function listFailed(
  pages: readonly { readonly inbox: Answer['inbox']; readonly page: SearchPage }[],
  isFanOut: boolean,
  { note }: ActionContext,
): RenderedCoverage['folders_failed'] {
  const each = pages.flatMap(({ inbox, page }) =>
    page.foldersFailed.map(({ folderId, code }) => ({
      folder_id: folderId,
      code,
      ...(isFanOut ? { inbox_id: inbox.inboxId } : {}),
    })),
  )
  const listed = fitItems(each, maxListedTokens)
  if (listed.length < each.length)
    note(`${each.length} folders could not be searched; folders_failed names the first ${listed.length}.`)
  const late = each.filter(({ code }) => code === 'not_reached').length
  if (late > 0)
    note(`The time of this call ended before ${late} folders; include_folders searches them by themselves.`)
  return [...listed]
}

/** True exactly when nothing can be missing; `body_as_text` may only add. */
function isComplete({ foldersFailed, degraded }: Coverage): boolean {
  return foldersFailed.length === 0 && !degraded.includes('charset') && !degraded.includes('local_limit')
}
