import { Fault } from '@postern/core'
import type { FolderId } from '@postern/mail'

/** Why the folders stay as they are. What each adapter throws, in the same words. */
export const folderChangeFaults = {
  nameTaken: (folderId: FolderId): Fault =>
    new Fault('folder_name_taken', {
      public:
        'A folder of this name exists already; existing_folder_id is its folder_id. Nothing was changed.',
      details: { existing_folder_id: folderId },
    }),
  nameReserved: (reserved: readonly string[]): Fault =>
    new Fault('folder_name_reserved', {
      public: `This mailbox keeps some names for itself: ${reserved.join(', ')}, in any case. Nothing was changed. Another name will do.`,
      details: { reserved_names: reserved },
    }),
  hasRole: (): Fault =>
    new Fault('folder_name_reserved', {
      public:
        'This folder, or one below it, has a role, such as inbox, sent or trash, by which mail programs find it. It is neither renamed nor deleted. Nothing was changed.',
      details: { reason: 'role' },
    }),
  hasChildren: (): Fault =>
    new Fault('folder_name_reserved', {
      public:
        'There are folders below this one, so it is not deleted. Nothing was changed. Delete them first, innermost first.',
      details: { reason: 'children' },
    }),
  insideItself: (): Fault =>
    new Fault('invalid_arguments', {
      public: 'A folder cannot be moved below itself. Nothing was changed. Choose another new_name.',
    }),
  hasMail: (): Fault =>
    new Fault('insufficient_scope', {
      public:
        'There is mail in this folder, which would be deleted with it for ever: that needs the scope delete:email, which this key lacks. Nothing was changed.',
      details: { missing_scopes: ['delete:email'] },
    }),
} as const
