import { defineTool } from '../../define-tool.ts'
import { attachment } from './attachment.ts'
import { count } from './count.ts'
import { extract } from './extract.ts'
import { list } from './list.ts'
import { original } from './original.ts'
import { readBatch } from './read-batch.ts'
import { read } from './read.ts'
import { search } from './search.ts'
import { thread } from './thread.ts'

export const emailRead = defineTool({
  name: 'email_read',
  title: 'Read mail',
  description:
    'Lists, searches, counts and reads messages and files; marks nothing read. ' +
    'list: one folder, newest first. search: by fields or query, all folders but Spam and Trash, all inboxes unless one is named. ' +
    'count: exact or an error. read: one message: body, names of files, sender authentication. read_batch: up to 50. ' +
    'thread: a conversation, newest first. attachment: one file: download link, hash. ' +
    'extract: its text (PDF, Office, CSV). original: the stored message. ' +
    'query: from: to: subject: filename: has:attachment is:unread in:Archive larger:5M after:2026/11/03 newer_than:7d "phrase" -word ( ) OR, which binds tighter than AND. ' +
    'Rows give message_id. body_continue continues a cut text. complete false: notes say what may be missing. ' +
    'With search:email alone rows have no snippets; files also need read:attachments.',
  isIdempotent: true,
  isBulk: false,
  toolset: 'core',
  actions: [list, search, count, read, readBatch, thread, attachment, extract, original],
})
