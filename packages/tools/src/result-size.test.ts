import {
  answerOf,
  buildMessage,
  createToolBench,
  createWriteBench,
  startTestDatabase,
  type MessageInit,
  type TestDatabase,
  type ToolBench,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { tokensOf } from './budget.ts'
import { catalog } from './catalog.ts'
import { operationName } from './define-tool.ts'

/*
 * The cap of a result against everything that a stranger can make long, one action after the other.
 */

const cap = 20_000
/** A text in a script whose characters cost a token each. */
const wide = (characters: number): string => '\u4f1a\u8bae'.repeat(characters / 2)

type Answer = Record<string, unknown>

/** The answer of a call, after both halves were found equal and below the cap. */
async function sized(bench: ToolBench, tool: string, args: Record<string, unknown>): Promise<Answer> {
  const result = await bench.call(tool, args)
  const answer = answerOf(result)
  if (result.structuredContent !== undefined)
    assert.deepEqual(JSON.parse(result.content[0]?.text ?? ''), answer)
  assert.ok(tokensOf(answer) <= cap, `${tokensOf(answer)} tokens`)
  return answer
}

function encoded(text: string): string {
  return `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
}

/** Every field of a head as long as it gets, and more recipients than anybody has. */
function longHead(recipients: number): MessageInit {
  const list = (name: string): string =>
    Array.from(
      { length: recipients },
      (_, n) => `"${name} ${n}" <${name}${n}.${'x'.repeat(50)}@list.example>`,
    ).join(',\r\n ')
  return {
    from: `${encoded(wide(1_200))} <amy@sender.example>`,
    to: list('to'),
    subject: encoded(wide(1_200)),
    messageId: `<${'i'.repeat(900)}@sender.example>`,
    headers: [
      `Cc: ${list('cc')}`,
      `Bcc: ${list('bcc')}`,
      `Reply-To: ${list('reply')}`,
      `Sender: ${encoded(wide(1_200))} <s@sender.example>`,
    ],
  }
}

function withFiles(count: number, init: MessageInit = {}): MessageInit {
  const files = Array.from({ length: count }, (_, n) => [
    '--b',
    `Content-Type: text/csv; name="${encoded(`${n} ${wide(300)}`)}"`,
    'Content-Disposition: attachment',
    '',
    'x',
  ]).flat()
  const body = ['--b', 'Content-Type: text/plain; charset=utf-8', '', wide(60_000), ...files, '--b--'].join(
    '\r\n',
  )
  return { ...init, contentType: 'multipart/mixed; boundary=b', body }
}

async function store(bench: ToolBench, ...inits: readonly MessageInit[]): Promise<string[]> {
  for (const init of inits)
    bench.inboxes[0]?.mailbox.append('INBOX', { raw: buildMessage(init), receivedAt: bench.now })
  const inbox = bench.inboxes[0]?.record.emailAddress
  const { messages } = answerOf(await bench.call('email_read', { action: 'list', limit: 100, inbox }))
  return (messages as { message_id: string }[]).map(({ message_id }) => message_id).reverse()
}

describe('check 52: read keeps to the cap', () => {
  test('with hundreds of long recipients and files: lists are cut, counted, and the cut is announced', async () => {
    const bench = createToolBench()
    const [id] = await store(bench, withFiles(600, longHead(400)))
    const answer = await sized(bench, 'email_read', { action: 'read', message_id: id })
    assert.deepEqual(
      ['to_count', 'cc_count', 'bcc_count', 'reply_to_count', 'attachment_count'].map((name) => answer[name]),
      [400, 400, 400, 400, 600],
    )
    assert.equal(answer['truncated'], true)
    assert.match(String(answer['truncated_reason']), /to_count, cc_count.*attachment_count/)
    assert.ok((answer['attachments'] as unknown[]).length > 10)
    assert.ok(String(answer['body']).length > 500)
  })

  test('with markup beside the text, and characters that double in JSON', async () => {
    const bench = createToolBench()
    const html = `<p>${'"\\ \n&quot;'.repeat(40_000)}</p>`
    const [id] = await store(bench, { contentType: 'text/html; charset=utf-8', body: html })
    const args = { action: 'read', message_id: id, include_html: true, body_max_chars: 50_000, links: 'full' }
    const answer = await sized(bench, 'email_read', args)
    assert.equal(typeof answer['body_next_offset'], 'number')
    assert.equal(typeof answer['body_html_next_offset'], 'number')
  })

  test('and a body that was cut to fit joins to the whole by its continuations', async () => {
    const bench = createToolBench()
    const body = wide(50_000)
    const [id] = await store(bench, { ...longHead(400), body })
    let next: Answer = { action: 'read', message_id: id, body_max_chars: 50_000 }
    let text = ''
    for (let turn = 0; turn < 20 && Object.keys(next).length > 0; turn++) {
      const answer: Answer = await sized(bench, 'email_read', next)
      text += String(answer['body']).split('\n').slice(1, -1).join('\n')
      next = (answer['body_continue'] ?? {}) as Answer
    }
    assert.equal(text, body)
  })
})

describe('check 52: read_batch keeps to the cap', () => {
  test('with markup: bodies are cut first, and every id is either read or left over', async () => {
    const bench = createToolBench()
    const html = `<p>${'"<b>\u4f1a\u8bae</b>" \\ '.repeat(2_000)}</p>`
    const ids = await store(
      bench,
      ...Array.from({ length: 50 }, () => ({ contentType: 'text/html; charset=utf-8', body: html })),
    )
    const args = { action: 'read_batch', message_ids: ids, include_html: true }
    const answer = await sized(bench, 'email_read', args)
    const read = (answer['messages'] as { message_id: string }[]).map(({ message_id }) => message_id)
    assert.deepEqual([...read, ...(answer['remaining_message_ids'] as string[])], ids)
    assert.ok(read.length > 5, `${read.length} were read`)
    assert.match(String(answer['truncated_reason']), /500 characters.*remaining_message_ids/)
  })

  test('with heads of any length: at least one message comes, the others are left over', async () => {
    const bench = createToolBench()
    const ids = await store(bench, ...Array.from({ length: 5 }, () => withFiles(300, longHead(300))))
    const answer = await sized(bench, 'email_read', { action: 'read_batch', message_ids: ids })
    assert.ok((answer['messages'] as unknown[]).length >= 1)
    assert.equal(
      (answer['messages'] as unknown[]).length + (answer['remaining_message_ids'] as string[]).length,
      5,
    )
  })

  test('with ids that are long nonsense', async () => {
    const bench = createToolBench()
    const [id = ''] = await store(bench, {})
    const wrong = Array.from({ length: 49 }, (_, n) => `${n}${wide(500)}`)
    const answer = await sized(bench, 'email_read', { action: 'read_batch', message_ids: [...wrong, id] })
    assert.deepEqual(
      [(answer['messages'] as unknown[]).length, (answer['failed'] as unknown[]).length],
      [1, 49],
    )
  })
})

/** All rows of a listing, page by page, each page below the cap. */
async function collect(
  bench: ToolBench,
  [tool, args]: readonly [tool: string, args: Record<string, unknown>],
  next: (answer: Answer) => Answer | null,
  rowsOf: (answer: Answer) => readonly string[],
): Promise<readonly string[]> {
  const rows: string[] = []
  let more: Answer | null = {}
  for (let turn = 0; turn < 200 && more !== null; turn++) {
    const answer = await sized(bench, tool, { ...args, ...more })
    rows.push(...rowsOf(answer))
    assert.equal(answer['next_offset'] === null, answer['has_more'] === false)
    more = next(answer)
  }
  return rows
}

const byCursor = ({ next_cursor }: Answer): Answer | null =>
  next_cursor === null ? null : { cursor: next_cursor }
const byOffset = ({ next_offset }: Answer): Answer | null =>
  next_offset === null ? null : { offset: next_offset }

let database: TestDatabase

before(async () => {
  database = await startTestDatabase()
})

after(() => database.close())

/** Drafts as long as they get and can be sent; the id of one. */
async function storeDraft(bench: ToolBench): Promise<string> {
  const people = Array.from(
    { length: 50 },
    (_, n) => `"${encoded(wide(300))}" <to${n}.${'x'.repeat(50)}@list.example>`,
  )
  const raw = buildMessage({
    ...withFiles(90, { from: 'owner@home.example', subject: encoded(wide(900)) }),
    to: people.join(',\r\n '),
    headers: [`Cc: ${people.join(',\r\n ').replaceAll('to', 'cc')}`],
  })
  for (let n = 0; n < 50; n++)
    bench.inboxes[0]?.mailbox.append('Drafts', { raw, receivedAt: bench.now, flags: { draft: true } })
  const inbox = bench.inboxes[0]?.record.emailAddress
  const { drafts } = answerOf(await bench.call('draft_list', { inbox })) as { drafts: { draft_id: string }[] }
  return drafts[0]?.draft_id ?? ''
}

/** People of whom as much is kept as can be. */
function fillBook({ people }: ToolBench): void {
  for (let n = 0; n < 60; n++)
    people.add(
      {
        name: `Amy ${wide(190)}`,
        organization: wide(200),
        note: wide(5_000),
        roles: Array.from({ length: 10 }, () => wide(60)),
        phones: Array.from({ length: 20 }, (_, k) => ({
          handle: `p${k}`,
          number: wide(60),
          label: wide(60),
        })),
      },
      Array.from({ length: 40 }, (_, k) => ({ spelling: `${'a'.repeat(60)}${n}.${k}@x.example` })),
    )
}

describe('check 52: every action keeps to the cap in a mailbox of monsters', () => {
  for (const tool of catalog) {
    for (const action of tool.actions) {
      test(operationName(tool, action), async () => {
        const bench = await createWriteBench(database)
        bench.addInbox({
          displayName: wide(200),
          aliases: Array.from({ length: 100 }, (_, n) => `a${n}@home.example`),
        })
        for (let n = 0; n < 60; n++) bench.inboxes[0]?.mailbox.addFolder({ path: `${n} ${wide(900)}` })
        const owner = bench.inboxes[0]?.record.emailAddress
        const monsters = Array.from({ length: 60 }, () => withFiles(300, longHead(300)))
        // The longest that can be answered and forwarded: what is longer is refused.
        const { headers: _, to: __, ...head } = longHead(0)
        const ids = await store(bench, ...monsters, withFiles(90, { ...head, from: 'amy@sender.example' }))
        const isWritten = tool.name === 'email_compose' || tool.name === 'draft'
        const id = isWritten ? ids.at(-1) : ids[0]
        const flag = { action: 'flag', message_ids: [id], flag_action: 'flag' }
        const done = answerOf(await bench.call('email_organize', { ...flag, inbox: owner }))
        const inbox = action.target === 'key' ? {} : { inbox: owner }
        const draftId = await storeDraft(bench)
        // Of people who go, all that is kept is told: these two are of the usual size.
        const people = ['Amy', 'Amy Ro'].map((name) => bench.people.add({ name, note: wide(100) }).contactId)
        fillBook(bench)
        const example = JSON.stringify(action.example)
          .replaceAll('"m_..."', JSON.stringify(id))
          .replaceAll('"c_..."', JSON.stringify(people[0]))
          .replaceAll('"c2_..."', JSON.stringify(people[1]))
          .replaceAll('"d_..."', JSON.stringify(draftId))
          .replaceAll('"op_..."', JSON.stringify(done['operation_id']))
        const args = { ...(JSON.parse(example) as Answer), ...inbox }
        const answer = await sized(
          bench,
          tool.name,
          action.action === null ? args : { action: action.action, ...args },
        )
        // Check 52: a write has 800 tokens, whatever it was done to.
        if (action.write !== null) assert.ok(tokensOf(answer) <= 800, `${tokensOf(answer)} tokens`)
      })
    }
  }
})

describe('check 52: listings keep to the cap and lose nothing', () => {
  test('search over folders with long names, by filters too long for a cursor', async () => {
    const bench = createToolBench()
    const [inbox] = bench.inboxes
    assert.ok(inbox)
    const names = Array.from({ length: 50 }, (_, n) => `${n} ${wide(990)}`)
    for (const path of names) inbox.mailbox.addFolder({ path })
    for (let n = 0; n < 60; n++)
      inbox.mailbox.append(names[n % 50] ?? '', {
        raw: buildMessage({ subject: `n${n} ${encoded(wide(400))}` }),
        receivedAt: new Date(bench.now.getTime() - n * 1_000),
      })
    const args = { action: 'search', limit: 100, include_folders: names, exclude_folders: ['INBOX'] }
    const subjects = await collect(bench, ['email_read', args], byCursor, ({ messages }) =>
      (messages as { subject: string }[]).map(({ subject }) => subject.split(' ')[0] ?? ''),
    )
    assert.deepEqual(
      subjects,
      Array.from({ length: 60 }, (_, n) => `n${n}`),
    )
    const { count } = await sized(bench, 'email_read', { action: 'count', include_folders: names })
    assert.equal(count, 60)
  })

  test('folder_list over folders with long names announces each cut', async () => {
    const bench = createToolBench()
    for (let n = 0; n < 60; n++) bench.inboxes[0]?.mailbox.addFolder({ path: `${n} ${wide(900)}` })
    const first = await sized(bench, 'folder_list', {})
    assert.equal(first['truncated'], true)
    const ids = await collect(bench, ['folder_list', {}], byOffset, ({ folders }) =>
      (folders as { folder_id: string }[]).map(({ folder_id }) => folder_id),
    )
    assert.equal(new Set(ids).size, 61)
    assert.equal(ids.length, 61)
  })

  test('folder_list leaves out what no argument could name, and says so', async () => {
    const bench = createToolBench()
    bench.inboxes[0]?.mailbox.addFolder({ path: 'x'.repeat(200_000) })
    const answer = await sized(bench, 'folder_list', {})
    assert.equal((answer['folders'] as unknown[]).length, 1)
    assert.match((answer['notes'] as string[]).join(), /longer than 1000 characters, 1 in number/)
  })

  test('inbox_list over many inboxes with many addresses announces each cut', async () => {
    const bench = createToolBench({ isEmpty: true })
    const aliases = Array.from({ length: 100 }, (_, n) => `alias${n}.${'x'.repeat(40)}@home.example`)
    for (let n = 0; n < 60; n++) bench.addInbox({ aliases, displayName: wide(200) })
    const args = { limit: 200, include_capabilities: true }
    assert.equal((await sized(bench, 'inbox_list', args))['truncated'], true)
    const ids = await collect(bench, ['inbox_list', args], byOffset, ({ inboxes }) =>
      (inboxes as { inbox_id: string }[]).map(({ inbox_id }) => inbox_id),
    )
    assert.equal(new Set(ids).size, 60)
    assert.equal(ids.length, 60)
  })
})

describe('budgets of ordinary results', () => {
  const sentence =
    'Please find the figures that we spoke about last week, with the comments of both offices, below. '

  function letter(n: number): MessageInit {
    return {
      from: `"Annabel Featherstone" <annabel.featherstone${n}@northern.example>`,
      to: 'owner@home.example',
      subject: `Quarterly figures for the northern region, part ${n}, revised`,
      body: Array.from({ length: 120 }, () => sentence).join('\r\n'),
      headers: ['Authentication-Results: mx.home.example; spf=pass; dkim=pass; dmarc=pass'],
    }
  }

  test('check 70: 20 rows of a search cost at most 2,500 tokens, with coverage and cursor', async () => {
    const bench = createToolBench()
    for (const path of ['Archive', 'Drafts', 'Family', 'Projects/Library', 'Projects/Lease', 'Receipts'])
      bench.inboxes[0]?.mailbox.addFolder({ path })
    await store(bench, ...Array.from({ length: 60 }, (_, n) => letter(n)))
    const answer = await sized(bench, 'email_read', { action: 'search', unread: true })
    assert.equal((answer['messages'] as unknown[]).length, 20)
    assert.equal(typeof answer['next_cursor'], 'string')
    assert.ok(tokensOf(answer) <= 2_500, `${tokensOf(answer)} tokens`)
  })

  test('a default read of a long letter costs at most 3,500 tokens', async () => {
    const bench = createToolBench()
    const [id] = await store(bench, letter(1))
    const answer = await sized(bench, 'email_read', { action: 'read', message_id: id })
    assert.equal(answer['body_truncated'], true)
    assert.ok(tokensOf(answer) <= 3_500, `${tokensOf(answer)} tokens`)
  })

  test('50 folders cost at most 2,500 tokens', async () => {
    const bench = createToolBench()
    for (let n = 0; n < 49; n++)
      bench.inboxes[0]?.mailbox.addFolder({ path: `Customers/Region ${n % 7}/Company number ${n}` })
    const answer = await sized(bench, 'folder_list', {})
    assert.equal((answer['folders'] as unknown[]).length, 50)
    assert.ok(tokensOf(answer) <= 2_500, `${tokensOf(answer)} tokens`)
  })
})
