import { Fault } from '@postern/core'
import type { Criterion } from '@postern/mail'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenMailbox } from './pool.ts'
import { runCount, runSearch } from './run-search.ts'
import type { Answer, Line, Token } from './wire.ts'

const amy: Criterion = { kind: 'text', field: 'from', value: 'amy' }

const word = (value: string): Token => ({ type: 'ATOM', value })

function line(keyword: string, tokens: readonly Token[], numbers: readonly number[] | null = null): Line {
  return { keyword, number: null, tokens, numbers }
}

/** `* ESEARCH (TAG "A1") UID ...` */
function esearch(...items: string[]): Line {
  return line('ESEARCH', [[word('TAG'), word('A1')], word('UID'), ...items.map(word)])
}

/** A mailbox (of 100 messages) whose connection gives this answer to any command, and keeps the commands. */
function mailboxWith(
  answer: Partial<Answer>,
  capabilities: readonly string[],
  exists = 100,
): { mailbox: OpenMailbox; asked: string[] } {
  const asked: string[] = []
  const mailbox: OpenMailbox = {
    folderId: 'INBOX',
    exists,
    uidValidity: 1,
    mode: 'read',
    uidNext: null,
    permanentFlags: null,
    connection: {
      capabilities: new Set(capabilities),
      isUtf8: false,
      run: async (command) => {
        asked.push(command)
        return { status: 'OK', code: null, text: '', lines: [], unreadable: 0, ...answer }
      },
    },
  }
  return { mailbox, asked }
}

const find = async (
  answer: Partial<Answer>,
  capabilities: readonly string[],
  wantsOrder = false,
): Promise<unknown> =>
  runSearch({ mailbox: mailboxWith(answer, capabilities).mailbox, ownAddresses: [] }, amy, wantsOrder)

test('UIDs are read from SEARCH, from several lines of it, and from ESEARCH', async () => {
  const plain = { lines: [line('SEARCH', [], [3, 1]), line('SEARCH', [], [7])] }
  assert.deepEqual(await find(plain, []), { uids: [3, 1, 7], isSorted: false })
  assert.deepEqual(await find({ lines: [esearch('ALL', '2,10:12')] }, ['ESEARCH']), {
    uids: [2, 10, 11, 12],
    isSorted: false,
  })
  assert.deepEqual(await find({ lines: [esearch()] }, ['ESEARCH']), { uids: [], isSorted: false })
  assert.deepEqual(await find({}, []), { uids: [], isSorted: false })
})

test('a sorted answer keeps its order, also where it counts downwards', async () => {
  const sorted = await find({ lines: [esearch('ALL', '9,4:2,7:8')] }, ['SORT', 'ESORT'], true)
  assert.deepEqual(sorted, { uids: [9, 4, 3, 2, 7, 8], isSorted: true })
})

test('a server that sorts without ESORT is searched instead', async () => {
  const { mailbox, asked } = mailboxWith({ lines: [line('SEARCH', [], [1])] }, ['SORT'])
  await runSearch({ mailbox, ownAddresses: [] }, amy, true)
  assert.deepEqual(asked, ['UID SEARCH'])
})

test('an answer with more messages than the folder has is refused before it fills the memory', async () => {
  const huge = [
    { lines: [esearch('ALL', '1:4294967295')] },
    { lines: [esearch('ALL', '4294967295:1')] },
    {
      lines: [
        esearch(
          'ALL',
          Array.from(
            { length: 200 },
            (_, index) => `${String(index * 100)}:${String(index * 100 + 99)}`,
          ).join(','),
        ),
      ],
    },
    {
      lines: [
        line(
          'SEARCH',
          [],
          Array.from({ length: 20_000 }, (_, index) => index + 1),
        ),
      ],
    },
  ]
  for (const answer of huge) {
    await assert.rejects(
      find(answer, ['ESEARCH']),
      (error) => error instanceof Fault && error.code === 'provider_error',
    )
  }
})

test('a server that claims to hold every message there could be does not fill the memory either', async () => {
  const answer = { lines: [esearch('ALL', '1:4294967295')] }
  const { mailbox } = mailboxWith(answer, ['ESEARCH'], 0xffff_ffff)
  await assert.rejects(
    runSearch({ mailbox, ownAddresses: [] }, amy, false),
    (error) => error instanceof Fault && error.code === 'query_too_broad',
  )
})

test('nonsense in an answer is passed over', async () => {
  const lines = [esearch('ALL', 'x,5,:,9:,99999999999999,7'), line('SORT', [word('abc'), null, [word('1')]])]
  assert.deepEqual(await find({ lines }, ['ESEARCH']), { uids: [5, 7], isSorted: false })
})

test('a refused charset is told apart from a refused search', async () => {
  const wide: Criterion = { kind: 'text', field: 'from', value: '\u4f1a' }
  const ask = async (criterion: Criterion, answer: Partial<Answer>): Promise<unknown> =>
    runSearch({ mailbox: mailboxWith(answer, []).mailbox, ownAddresses: [] }, criterion, false)
  assert.equal(await ask(wide, { status: 'NO', code: 'BADCHARSET' }), null)
  assert.equal(await ask(wide, { status: 'BAD', text: 'Unknown charset' }), null)
  const isFault = (error: unknown): boolean => error instanceof Fault && error.code === 'provider_error'
  await assert.rejects(ask(wide, { status: 'NO', text: 'Out of order' }), isFault)
  await assert.rejects(ask(amy, { status: 'NO', code: 'BADCHARSET' }), isFault)
})

test('a count is the number the server says, else the number of messages it names; trivial ones ask nothing', async () => {
  const count = async (
    criterion: Criterion,
    answer: Partial<Answer>,
    capabilities: readonly string[],
  ): Promise<unknown> => {
    const { mailbox, asked } = mailboxWith(answer, capabilities)
    return [await runCount({ mailbox, ownAddresses: [] }, criterion), asked.length]
  }
  assert.deepEqual(await count(amy, { lines: [esearch('COUNT', '47')] }, ['ESEARCH']), [47, 1])
  assert.deepEqual(await count(amy, { lines: [line('SEARCH', [], [1, 5, 9])] }, []), [3, 1])
  assert.deepEqual(await count(amy, { lines: [line('SEARCH', [], [1, 5])] }, ['ESEARCH']), [2, 1])
  assert.deepEqual(await count({ kind: 'all' }, {}, []), [100, 0])
  assert.deepEqual(await count({ kind: 'none' }, {}, []), [0, 0])
})
