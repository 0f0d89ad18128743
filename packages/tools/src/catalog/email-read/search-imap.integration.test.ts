import {
  answerOf,
  buildMessage,
  createToolBench,
  errorOf,
  mailServerNames,
  mailServers,
  openImapMailbox,
  type ImapMailbox,
  type TestMailServer,
  type TestUser,
  type ToolBench,
} from '@postern/fixtures'
import { addDays, startOfDay } from '@postern/mail'
import { ImapFlow } from 'imapflow'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'

/*
 * What an agent is told of a search, from the argument to the answer, over real servers: the adapters' own suite
 * holds the criteria, this one the way there and back.
 */

interface Letter {
  readonly subject: string
  readonly receivedAt: Date
  readonly hasFile?: boolean
}

function rawOf({ subject, hasFile = false }: Letter): Uint8Array {
  if (!hasFile) return buildMessage({ subject, body: 'Words.' })
  const parts = [
    'Content-Type: text/plain',
    '',
    'See file.',
    '--b',
    'Content-Type: application/pdf; name=a.pdf',
  ]
  const body = ['--b', ...parts, '', '%PDF', '--b--'].join('\r\n')
  return buildMessage({ subject, contentType: 'multipart/mixed; boundary=b', body })
}

/** Delivers letters as another client would. */
async function deliver(server: TestMailServer, user: TestUser, letters: readonly Letter[]): Promise<void> {
  const client = new ImapFlow({
    host: server.host,
    port: server.imapsPort,
    secure: true,
    auth: { user: user.username, pass: user.password },
    tls: { ca: await readFile(server.caFile, 'utf8') },
    logger: false,
  })
  await client.connect()
  for (const letter of letters) {
    await client.append('INBOX', Buffer.from(rawOf(letter)), [], letter.receivedAt)
  }
  await client.logout()
}

interface Found {
  readonly messages: readonly { readonly subject: string }[]
  readonly complete: boolean
  readonly degraded: readonly string[]
  readonly resolved: { readonly since: string | null }
  readonly total: number | null
  readonly notes?: readonly string[]
}

async function search(bench: ToolBench, args: Record<string, unknown>): Promise<Found> {
  return answerOf(
    await bench.call('email_read', { action: 'search', limit: 100, ...args }),
  ) as unknown as Found
}

// Far east, far west, and the days on which clocks go forward and back.
const days: readonly (readonly [timezone: string, date: string, afternoon: string])[] = [
  ['Pacific/Auckland', '2026-06-10', '2026-06-10T15:00:00+12:00'],
  ['America/Los_Angeles', '2026-06-10', '2026-06-10T15:00:00-07:00'],
  ['Europe/Berlin', '2026-03-29', '2026-03-29T15:00:00+02:00'],
  ['Europe/Berlin', '2026-10-25', '2026-10-25T15:00:00+01:00'],
]
const secondMs = 1_000

/** Letters at every border of the days, a second before, on it and a second behind. */
function lettersOfDays(): readonly Letter[] {
  const borders = days.flatMap(([timezone, date, afternoon]) => [
    ...[-1, 0, 1, 2].map((step) => startOfDay(addDays(date, step), timezone).getTime()),
    Date.parse(afternoon),
  ])
  const instants = new Set(
    borders.flatMap((border) => [-1, 0, 1].map((seconds) => border + seconds * secondMs)),
  )
  return [...instants].map((at) => ({ subject: `at ${at}`, receivedAt: new Date(at) }))
}

type Place = 'memory' | (typeof mailServerNames)[number]

for (const place of ['memory', ...mailServerNames] satisfies Place[]) {
  describe(`days of a search on ${place}`, () => {
    const letters = lettersOfDays()
    const bench = createToolBench({ isEmpty: true })
    let mailbox: ImapMailbox | null = null
    before(async () => {
      if (place === 'memory') return
      const server = mailServers()[place]
      const user = server.user(1)
      await deliver(server, user, letters)
      mailbox = await openImapMailbox(server, user)
    })
    after(() => mailbox?.close())

    /** The same mailbox with its owner in another zone. */
    const inboxIn = (timezone: string): string => {
      const inbox = bench.addInbox({ timezone }, mailbox?.mail)
      if (place === 'memory') {
        for (const letter of letters)
          inbox.mailbox.append('INBOX', { raw: rawOf(letter), receivedAt: letter.receivedAt })
      }
      return inbox.record.inboxId
    }
    const within = (from: number, to: number): readonly string[] =>
      letters
        .filter(({ receivedAt }) => receivedAt.getTime() >= from && receivedAt.getTime() < to)
        .map(({ subject }) => subject)
        .sort()
    const subjects = ({ messages }: Found): readonly string[] => messages.map(({ subject }) => subject).sort()

    for (const [timezone, date, afternoon] of days) {
      test(`check 73: ${date} in ${timezone} begins and ends at its midnight, and no day counts twice`, async () => {
        const inbox_id = inboxIn(timezone)
        const borders = [-1, 0, 1, 2].map((step) => startOfDay(addDays(date, step), timezone).getTime())
        const seen: string[] = []
        for (const step of [0, 1, 2]) {
          const [from = 0, to = 0] = borders.slice(step)
          const asked = { since: addDays(date, step - 1), before: addDays(date, step), inbox_id }
          const found = await search(bench, asked)
          assert.deepEqual(subjects(found), within(from, to), JSON.stringify(asked))
          assert.equal(found.resolved.since, new Date(from).toISOString())
          const { count } = answerOf(await bench.call('email_read', { action: 'count', ...asked }))
          assert.equal(count, found.messages.length)
          seen.push(...subjects(found))
        }
        assert.equal(new Set(seen).size, seen.length)
      })

      test(`check 73: since 15:00 of ${date} in ${timezone} is exact, with and without its zone`, async () => {
        const inbox_id = inboxIn(timezone)
        const from = Date.parse(afternoon)
        for (const since of [`${date}T15:00`, afternoon, new Date(from).toISOString()]) {
          const found = await search(bench, { since, before: addDays(date, 2), inbox_id })
          assert.deepEqual(
            subjects(found),
            within(from, startOfDay(addDays(date, 2), timezone).getTime()),
            since,
          )
          assert.equal(found.resolved.since, new Date(from).toISOString())
        }
      })

      test(`check 73: at 15:00 of ${date} in ${timezone} today and yesterday are that day and the one before`, async () => {
        const inbox_id = inboxIn(timezone)
        bench.now = new Date(afternoon)
        const [yesterday = 0, today = 0] = [-1, 0].map((step) =>
          startOfDay(addDays(date, step), timezone).getTime(),
        )
        const end = startOfDay(addDays(date, 2), timezone).getTime()
        const before = addDays(date, 2)
        assert.deepEqual(
          subjects(await search(bench, { since: 'today', before, inbox_id })),
          within(today, end),
        )
        assert.deepEqual(
          subjects(await search(bench, { since: 'yesterday', before: 'today', inbox_id })),
          within(yesterday, today),
        )
      })
    }
  })
}

describe('attachments of more messages than are examined', () => {
  const letters = Array.from({ length: 2_001 }, (_, index) => ({
    subject: `number ${index}`,
    receivedAt: new Date(Date.UTC(2026, 0, 1) + index * 3_600_000),
    // The oldest of all: behind the newest 2,000.
    hasFile: index === 0 || index === 1_990,
  }))
  const server = mailServers().dovecot
  const bench = createToolBench({ isEmpty: true })
  let mailbox: ImapMailbox | null = null
  before(async () => {
    const user = server.user(2)
    await deliver(server, user, letters)
    mailbox = await openImapMailbox(server, user)
    bench.addInbox({}, mailbox.mail)
  })
  after(() => mailbox?.close())

  for (const asked of [{ has_attachment: true }, { query: 'has:attachment' }, { query: 'filename:a.pdf' }]) {
    test(`check 81: a search by ${JSON.stringify(asked)} says that it was bounded, and a count of it is refused`, async () => {
      const found = await search(bench, asked)
      assert.deepEqual(
        found.messages.map(({ subject }) => subject),
        ['number 1990'],
      )
      assert.deepEqual([found.complete, found.degraded, found.total], [false, ['local_limit'], null])
      assert.match(found.notes?.join(' ') ?? '', /newest 2,000 candidates only/)
      const error = errorOf(await bench.call('email_read', { action: 'count', ...asked }))
      assert.equal(error['error_code'], 'search_not_exact')
      assert.match(String(error['message']), /has_attachment|filename/)
      assert.match(String(error['message']), /Nothing was changed/)
    })
  }

  test('check 81: within the bound the same search is complete and its count exact', async () => {
    const asked = { has_attachment: true, since: '2026-02-01' }
    const found = await search(bench, asked)
    assert.deepEqual([found.complete, found.degraded, found.messages.length], [true, [], 1])
    assert.equal(answerOf(await bench.call('email_read', { action: 'count', ...asked }))['count'], 1)
  })
})
