import { defineTool } from '../../define-tool.ts'
import { wait } from './wait.ts'

export const emailWait = defineTool({
  name: 'email_wait',
  title: 'Wait for mail',
  description:
    'Waits up to 50 s for arriving mail, such as a code or a reply, and answers at once when something that matches has come since `since` or cursor. ' +
    'Watches INBOX, or up to 5 folders that include_folders or the query names; fields as in email_read search. ' +
    'Nothing in time is a success with timed_out true. ' +
    'cursor, in every answer, goes on from there: every later match once, none left out. ' +
    'A key may have 2 waits at once. Marks nothing read.',
  isIdempotent: true,
  isBulk: false,
  toolset: 'core',
  publishes: ['messages', 'timed_out', 'cursor', 'complete', 'untrusted_content', 'notes'],
  actions: [wait],
})
