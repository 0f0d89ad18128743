import { createContactTool } from './compat/create-contact.ts'
import { deleteContactTool } from './compat/delete-contact.ts'
import { mergeContactsTool } from './compat/merge-contacts.ts'
import { searchContacts } from './compat/search-contacts.ts'
import { updateContactTool } from './compat/update-contact.ts'
import { contactSearch } from './catalog/contact-search.ts'
import { contact } from './catalog/contact/index.ts'
import { draftList } from './catalog/draft-list.ts'
import { draft } from './catalog/draft/index.ts'
import { emailCompose } from './catalog/email-compose/index.ts'
import { emailDelete } from './catalog/email-delete/index.ts'
import { emailOrganize } from './catalog/email-organize/index.ts'
import { emailRead } from './catalog/email-read/index.ts'
import { emailSearchAndMove } from './catalog/email-search-and-move.ts'
import { emailWait } from './catalog/email-wait/index.ts'
import { folderList } from './catalog/folder-list.ts'
import { folder } from './catalog/folder/index.ts'
import { inboxList } from './catalog/inbox-list.ts'
import { operationGet } from './catalog/operation-get.ts'
import type { Tool } from './define-tool.ts'

/** Every tool, in the order in which agents see them. */
export const catalog: readonly Tool[] = [
  inboxList,
  folderList,
  folder,
  emailRead,
  emailWait,
  emailOrganize,
  emailSearchAndMove,
  emailDelete,
  emailCompose,
  draftList,
  draft,
  contactSearch,
  contact,
  operationGet,
  searchContacts,
  createContactTool,
  updateContactTool,
  deleteContactTool,
  mergeContactsTool,
]
