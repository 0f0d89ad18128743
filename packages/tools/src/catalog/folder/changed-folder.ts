import { cleanLine, type FolderOutcome } from '@postern/mail'
import * as z from 'zod'
import type { Written } from '../../define-tool.ts'
import { cleanText, untrusted } from '../../outputs.ts'

/** The answer of a change of one folder. */
export const changedFolder = z.strictObject({
  folder_id: z.string().optional(),
  name: cleanText.optional(),
  previous_folder_id: z.string().optional(),
  untrusted_content: untrusted,
})

export type ChangedFolder = z.input<typeof changedFolder>

/** A folder as it was seen after it was made or renamed; of `unknown` nothing can be said of it. */
export function tellFolder(outcome: FolderOutcome): Written<ChangedFolder> {
  if (outcome.status === 'unknown') return { outcome: 'unknown', own: { untrusted_content: true }, items: [] }
  const { folderId, name } = outcome.folder
  return {
    outcome: 'done',
    own: { folder_id: folderId, name: cleanLine(name), untrusted_content: true },
    items: [],
  }
}
