import {
  answerOf,
  buildMessage,
  createWriteBench,
  startTestDatabase,
  type TestDatabase,
  type ToolBench,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

let database: TestDatabase
let bench: ToolBench
let ids: readonly string[]

before(async () => {
  database = await startTestDatabase()
  bench = await createWriteBench(database)
  for (let n = 0; n < 12; n++)
    bench.inboxes[0]?.mailbox.append('INBOX', {
      raw: buildMessage({ subject: `Number ${n}` }),
      receivedAt: new Date(bench.now.getTime() + n * 1_000),
    })
  const { messages } = answerOf(await bench.call('email_read', { action: 'list', limit: 20 })) as {
    messages: { message_id: string }[]
  }
  ids = messages.map(({ message_id: id }) => id)
})

after(() => database.close())

const call = (args: Record<string, unknown>, as = {}): ReturnType<ToolBench['call']> =>
  bench.call('email_organize', args, as)
const subjectsIn = async (folder: string): Promise<readonly string[]> => {
  const { messages } = answerOf(await bench.call('email_read', { action: 'list', folder, limit: 50 })) as {
    messages: { subject: string }[]
  }
  return messages.map(({ subject }) => subject)
}

test('messages are copied together, each once', async () => {
  const message_ids = [ids[0], ids[1], ids[1]]
  const answer = answerOf(await call({ action: 'copy_batch', message_ids, destination_folder_id: 'Work' }))
  assert.deepEqual([answer['outcome'], answer['done'], answer['results']], ['done', 2, []])
  assert.deepEqual([...(await subjectsIn('Work'))].sort(), ['Number 10', 'Number 11'])
})
