import { Fault } from '@postern/core'
import type { Criterion, FolderId } from '@postern/mail'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  callFor,
  found,
  keyOf,
  pageOf,
  search,
  seed,
  toQuery,
  type ContractMailbox,
  type MakeMailbox,
} from './mailbox.ts'
import { attachment, multipart, plain, textPart, type ContractMessage } from './messages.ts'

const bytes = (count: number): Uint8Array =>
  Uint8Array.from({ length: count }, (_, index) => (index * 7) % 256)

function encoded(text: string): string {
  return `=?utf-8?B?${Buffer.from(text, 'utf8').toString('base64')}?=`
}

/** What lies in the inbox; every query of this file is answered from these, `elsewhere` and `discarded`. */
function inInbox(own: string): readonly ContractMessage[] {
  const related = multipart({ key: 'inline', subject: 'With a logo' }, 'related', [
    textPart('<p>Logo: <img src="cid:logo@contract.example"></p>', 'text/html'),
    {
      headers: [
        'Content-Type: image/png',
        'Content-ID: <logo@contract.example>',
        'Content-Disposition: inline; filename="logo.png"',
        'Content-Transfer-Encoding: base64',
      ],
      lines: ['iVBORw0KGgo='],
    },
  ])
  const inner = ['Content-Type: message/rfc822', 'Content-Disposition: attachment']
  return [
    multipart({ key: 'report', subject: 'Quarterly report', flags: { seen: true } }, 'mixed', [
      textPart('The budget is attached.'),
      attachment('application/pdf', 'Budget-2026.pdf', bytes(900)),
    ]),
    plain({
      key: 'lunch',
      subject: 'Lunch a b',
      headers: ['Cc: Carol <carol@contract.example>'],
      body: 'At noon.',
    }),
    plain({
      key: 'david',
      from: '"Jones, David" <david@contract.example>',
      subject: 'Plan a b',
      body: 'Numbers for the quarter.',
      flags: { flagged: true },
    }),
    related,
    multipart({ key: 'forwarded', subject: 'Fwd' }, 'mixed', [
      textPart('See the message below.'),
      { headers: inner, lines: ['Subject: Inner', 'From: x@contract.example', '', 'Inner text.'] },
    ]),
    plain({ key: 'wide', subject: encoded('\u4f1a\u8bae\u8bb0\u5f55'), body: 'Flug nach Z\u00fcrich' }),
    plain({ key: 'dash', subject: encoded('Plan \u2014 2027') }),
    plain({
      key: 'umlaut',
      from: '=?iso-8859-1?Q?J=FCrgen_M=FCller?= <jm@contract.example>',
      headers: ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'],
      body: 'Treffen in Z=C3=BCrich,=20gleich dar=\nauf.',
    }),
    plain({ key: 'percent', subject: '50% off' }),
    plain({ key: 'percentx', subject: '500 off' }),
    plain({ key: 'under', subject: 'snake_case' }),
    plain({ key: 'underx', subject: 'snakeXcase' }),
    plain({ key: 'star', subject: 'multiply p*q' }),
    plain({ key: 'starx', subject: 'multiply pXXq' }),
    plain({ key: 'dot', subject: 'version v1.2' }),
    plain({ key: 'dotx', subject: 'version v1X2' }),
    plain({ key: 'syntax', subject: 'x) OR from:(y' }),
    plain({ key: 'quotes', subject: 'say "hi" \\ {5}' }),
    plain({ key: 'answered', subject: 'Question', flags: { answered: true, seen: true } }),
    plain({ key: 'mine', from: `Me <${own}>`, to: 'Bob <bob@contract.example>', subject: 'From myself' }),
    plain({
      key: 'list',
      subject: 'Digest',
      headers: ['List-Id: The Team <team.lists.contract.example>', 'Delivered-To: alias@contract.example'],
    }),
    plain({ key: 'big', subject: 'Long', body: `${'All work and no play. '.repeat(20)}\n`.repeat(60) }),
    plain({ key: 'tagged', subject: 'Tagged', keywords: ['Urgent1'] }),
  ]
}

const everywhere = (own: string): readonly string[] =>
  [
    ...inInbox(own).map(
      ({ raw }) =>
        /<(\w+)@contract/.exec(Buffer.from(raw).toString('latin1').split('Message-ID:')[1] ?? '')?.[1] ?? '',
    ),
    'project',
    'sent',
  ].sort()

// query, keys of what it finds
const cases: readonly (readonly [query: string, ...keys: string[]])[] = [
  ['from:david', 'david'],
  ['from:"Jones, David"', 'david'],
  ['from:DAVID@contract.example', 'david'],
  ['to:bob', 'mine'],
  ['cc:carol', 'lunch'],
  ['from:me', 'mine', 'sent'],
  ['subject:"a b"', 'david', 'lunch'],
  ['subject:lunch', 'lunch'],
  ['body:noon', 'lunch'],
  ['noon', 'lunch'],
  ['subject:noon'],
  ['"numbers for the quarter"', 'david'],
  ['body:"budget is attached"', 'report'],
  ['has:attachment', 'forwarded', 'report'],
  ['filename:budget', 'report'],
  ['filename:.pdf', 'report'],
  ['filename:logo', 'inline'],
  ['is:answered', 'answered'],
  ['is:starred', 'david'],
  ['is:read', 'answered', 'report', 'sent'],
  ['is:unread subject:"a b"', 'david', 'lunch'],
  ['-is:unread', 'answered', 'report', 'sent'],
  ['larger:20K', 'big'],
  ['rfc822msgid:<lunch@contract.example>', 'lunch'],
  ['list:team.lists.contract.example', 'list'],
  ['deliveredto:alias@contract.example', 'list'],
  ['label:Urgent1', 'tagged'],
  ['in:Projects', 'project'],
  ['in:Projects noon'],
  ['{in:Projects subject:lunch}', 'lunch', 'project'],
  ['rfc822msgid:lunch in:Projects'],
  // 76
  ['from:(amy OR david) -has:attachment subject:"a b"', 'david', 'lunch'],
  ['from:(jones OR bob)', 'david'],
  // 77
  ['contract.example lunch OR digest', 'list', 'lunch'],
  ['subject:plan -(2027 OR filename:x)', 'david'],
  ['-(-subject:plan)', 'dash', 'david'],
  ['{subject:lunch subject:digest} -subject:digest', 'lunch'],
  ['(subject:plan is:starred) OR (subject:question is:answered)', 'answered', 'david'],
  ['has:attachment OR subject:digest', 'forwarded', 'list', 'report'],
  ['(has:attachment OR body:noon) -subject:fwd', 'lunch', 'report'],
  ['-(has:attachment OR body:contract) subject:(report OR "a b")', 'david', 'lunch'],
  // 72
  ['subject:\u4f1a\u8bae', 'wide'],
  ['\u4f1a\u8bae', 'wide'],
  ['Z\u00fcrich', 'umlaut', 'wide'],
  ['body:Z\u00dcRICH', 'umlaut', 'wide'],
  ['subject:"Plan \u2014 2027"', 'dash'],
  ['from:J\u00fcrgen', 'umlaut'],
  ['from:"j\u00fcrgen m\u00fcller"', 'umlaut'],
  ['-Z\u00fcrich subject:(\u4f1a\u8bae OR \u2014)', 'dash'],
  // 80
  ['subject:"50% off"', 'percent'],
  ['subject:snake_case', 'under'],
  ['subject:p*q', 'star'],
  ['subject:"v1.2"', 'dot'],
  // 79
  ['subject:"x) OR from:(y"', 'syntax'],
  ['subject:"say \\"hi\\""', 'quotes'],
  ['subject:"\\\\ {5}"', 'quotes'],
]

export function describeSearching(make: MakeMailbox): void {
  describe('searching', () => {
    let mailbox: ContractMailbox
    let trash: FolderId
    const criterionOf = async (criterion: Criterion): Promise<readonly string[]> => {
      const { folderIds } = await toQuery(mailbox.adapter, 'x')
      const page = await mailbox.adapter.searchMessages({ criterion, folderIds }, pageOf(100), callFor())
      return page.messages.map(keyOf).sort()
    }

    before(async () => {
      mailbox = await make()
      await seed(mailbox, 'INBOX', inInbox(mailbox.ownAddress))
      const projects = await mailbox.addFolder(['Projects'])
      const folders = await mailbox.adapter.listFolders('known', callFor())
      const sent =
        folders.find(({ role }) => role === 'sent')?.folderId ?? (await mailbox.addFolder(['Sent']))
      const bin =
        folders.find(({ role }) => role === 'trash')?.folderId ?? (await mailbox.addFolder(['Trash']))
      assert.ok(projects !== null && sent !== null && bin !== null)
      trash = bin
      await seed(mailbox, projects, [plain({ key: 'project', subject: 'Roadmap' })])
      await seed(mailbox, sent, [plain({ key: 'sent', from: mailbox.ownAddress, flags: { seen: true } })])
      await seed(mailbox, trash, [plain({ key: 'discarded', subject: 'Lunch in the bin' })])
    })
    after(() => mailbox.close())

    for (const [query, ...keys] of cases) {
      test(`checks 76, 77, 72, 79, 80: ${query} finds exactly [${keys.join(' ')}]`, async () => {
        assert.deepEqual(await found(mailbox, query), [...keys].sort())
      })
    }

    test('a query and its negation split the mailbox, and each is counted as it is listed', async () => {
      const all = everywhere(mailbox.ownAddress)
      for (const [query] of cases) {
        if (/\bin:|label:/.test(query)) continue
        const positive = await found(mailbox, query)
        const negative = await found(mailbox, `-(${query})`)
        assert.deepEqual([...positive, ...negative].sort(), all, query)
        const counted = await mailbox.adapter.countMessages(await toQuery(mailbox.adapter, query), callFor())
        assert.equal(counted.count, positive.length, query)
        assert.deepEqual([counted.foldersFailed, counted.degraded], [[], []])
      }
    })

    test('sizes are compared in octets', async () => {
      const lunch = inInbox(mailbox.ownAddress).find(({ raw }) => Buffer.from(raw).includes('<lunch@'))
      const size = lunch?.raw.length ?? 0
      // Some servers count the line ends of their own files, which are an octet shorter.
      const margin = 24
      const sized = (kind: 'larger' | 'smaller', bytes: number): Promise<readonly string[]> =>
        criterionOf({
          kind: 'and',
          of: [
            { kind, bytes },
            { kind: 'text', field: 'subject', value: 'Lunch' },
          ],
        })
      assert.deepEqual(await sized('larger', size - margin), ['lunch'])
      assert.deepEqual(await sized('larger', size), [])
      assert.deepEqual(await sized('smaller', size - margin), [])
      assert.deepEqual(await sized('smaller', size + 1), ['lunch'])
    })

    test('check 79: no value of a structured field is more than text', async () => {
      const hostile = [
        'x) OR from:(y',
        '" OR ALL SUBJECT "',
        'a\\" ALL',
        '{3}\r\nabc',
        '(ALL)',
        'x"\r\nA1 LOGOUT\r\n',
        '\\',
        '*',
        '%',
        'NIL',
      ]
      for (const field of ['from', 'to', 'cc', 'subject', 'body', 'text'] as const) {
        for (const value of hostile) {
          const keys = await criterionOf({ kind: 'text', field, value })
          const isLiteral = (key: string): boolean =>
            (value.startsWith('x)') && key === 'syntax') ||
            (value === '\\' && key === 'quotes') ||
            (value === '*' && key === 'star') ||
            (value === '%' && key === 'percent')
          assert.ok(field === 'body' || field === 'text' || keys.every(isLiteral), `${field}: ${value}`)
        }
      }
      assert.deepEqual(await criterionOf({ kind: 'text', field: 'subject', value: 'x) OR from:(y' }), [
        'syntax',
      ])
    })

    test('Trash is searched when it is named or asked for, and not else', async () => {
      assert.deepEqual(await found(mailbox, 'subject:lunch in:trash'), ['discarded'])
      assert.deepEqual(await found(mailbox, 'subject:lunch in:anywhere'), ['discarded', 'lunch'])
      const page = await search(mailbox, 'subject:lunch')
      assert.ok(!page.foldersSearched.includes(trash))
      assert.ok(page.foldersSearched.includes('INBOX'))
    })

    test('check 74: a folder that is not there is reported beside the rows of the others', async () => {
      const { criterion, folderIds } = await toQuery(mailbox.adapter, 'subject:lunch')
      const query = { criterion, folderIds: ['No such folder', ...folderIds] }
      const page = await mailbox.adapter.searchMessages(query, pageOf(10), callFor())
      assert.deepEqual(page.messages.map(keyOf), ['lunch'])
      assert.deepEqual(page.foldersFailed, [{ folderId: 'No such folder', code: 'folder_not_found' }])
      assert.deepEqual(page.foldersSearched, folderIds)
      const counted = await mailbox.adapter.countMessages(query, callFor())
      assert.equal(counted.foldersFailed.length, 1)
    })

    test('check 74: when every folder fails the failure itself is thrown', async () => {
      const query = { criterion: { kind: 'all' }, folderIds: ['No such folder', 'Nor this'] } as const
      const isNotFound = (error: unknown): boolean =>
        error instanceof Fault && error.code === 'folder_not_found'
      await assert.rejects(mailbox.adapter.searchMessages(query, pageOf(10), callFor()), isNotFound)
      await assert.rejects(mailbox.adapter.countMessages(query, callFor()), isNotFound)
    })

    test('check 82: a count over several folders is the sum, whatever fits on a page', async () => {
      const all = everywhere(mailbox.ownAddress)
      const counted = await mailbox.adapter.countMessages(
        await toQuery(mailbox.adapter, 'in:anywhere'),
        callFor(),
      )
      assert.equal(counted.count, all.length + 1)
    })

    test('pages deeper than the reach of offsets are refused', async () => {
      await assert.rejects(
        search(mailbox, 'x', { page: pageOf(100, 9_901) }),
        (error) => error instanceof Fault && error.code === 'query_too_broad',
      )
      assert.equal((await search(mailbox, 'subject:lunch', { page: pageOf(100, 9_900) })).messages.length, 0)
    })

    test('criteria that nothing can satisfy find nothing, in every folder', async () => {
      assert.deepEqual(await found(mailbox, 'subject:lunch -subject:lunch'), [])
      assert.deepEqual(await found(mailbox, '-in:anywhere'), [])
      assert.deepEqual(await criterionOf({ kind: 'none' }), [])
    })
  })
}
