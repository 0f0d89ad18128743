import { defineTool } from '../../define-tool.ts'
import { deleteBatch } from './delete-batch.ts'
import { deleteOne } from './delete.ts'
import { searchAndDelete } from './search-and-delete.ts'

export const emailDelete = defineTool({
  name: 'email_delete',
  title: 'Delete mail',
  description:
    'Deletes messages: by default they move to Trash; undo in the answer is the call that brings them back, for 24 h, once. ' +
    'permanent: true removes for ever, over IMAP only. ' +
    'search_and_delete: whatever matches the filters, the newest first, up to limit; INBOX alone unless include_folders names others. While has_more, the same call (with another idempotency_key) goes on. ' +
    'dry_run: true tells what would match, with five rows, and changes nothing. Filters that may match everything are refused (empty_filter), and so is a search that is not exact. ' +
    'What lies in Trash already is unchanged. search_and_delete also needs read:email or search:email. ' +
    'Drafts: draft.',
  isIdempotent: false,
  isBulk: true,
  toolset: 'bulk',
  actions: [deleteOne, deleteBatch, searchAndDelete],
})
