import { allScopes, type ApprovalRecord, type Scope } from '@postern/access'
import { newId, silentLog, systemClock } from '@postern/core'
import { emptyBook } from '@postern/contacts'
import {
  answerOf,
  buildMessage,
  createToolBench,
  errorOf,
  makeInbox,
  makeTenant,
  startTestDatabase,
  type TestDatabase,
} from '@postern/fixtures'
import type { MemoryMailbox } from '@postern/providers'
import {
  createInboxDirectory,
  createOperationLedger,
  createPolicyDirectory,
  decideApproval,
  findApprovalOf,
  getLivePrincipal,
  issueApiKey,
  listPendingApprovals,
  openHeld,
  revokeApiKey,
  setPolicy,
  withOwner,
  withTenant,
  type TenantTrx,
} from '@postern/store'
import { createTools, unpackHeldBulk, type HeldBulk, type ToolDeps } from '@postern/tools'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bindApprovals, makeApprovalRound } from '../src/bind-approvals.ts'
import { bindOutbox } from '../src/bind-outbox.ts'
import type { Round } from '../src/sweep.ts'

let database: TestDatabase
before(async () => void (database = await startTestDatabase()))
after(() => database.close())

type Args = Record<string, unknown>

interface Bench {
  readonly tenantId: string
  readonly apiKeyId: string
  readonly mailbox: MemoryMailbox
  readonly round: Round
  /** As an agent calls; the key is read again each time. */
  call(tool: string, args: Args): Promise<Args>
  /** The error_code of a call that fails. */
  fails(tool: string, args: Args): Promise<unknown>
  deliver(subject: string, folder?: string): void
  subjects(folder: string): readonly string[]
  approval(operationId: unknown): Promise<ApprovalRecord>
  held(operationId: unknown): Promise<HeldBulk>
  decide(operationId: unknown, verdict: 'approved' | 'rejected'): Promise<void>
  /** What it came to, and why nothing did. */
  outcome(operationId: unknown): Promise<readonly unknown[]>
  within<T>(act: (trx: TenantTrx) => Promise<T>): Promise<T>
}

/** A mailbox with three letters of News and one of Amy in INBOX, whose owner reviews changes of many messages. */
async function makeBench(scopes: readonly Scope[] = allScopes): Promise<Bench> {
  const { db, keyRing } = database
  const tenantId = await makeTenant(db)
  const record = await makeInbox(db, tenantId)
  const { inboxId } = record
  const within = <T>(act: (trx: TenantTrx) => Promise<T>): Promise<T> => withTenant(db, tenantId, act)
  const now = (): Date => systemClock.now()
  const issued = await issueApiKey(db, keyRing, tenantId, {
    name: 'tidy',
    scopes: [...scopes],
    inboxIds: [inboxId],
    expiresAt: null,
  })
  const { apiKeyId } = issued.record
  await within((trx) => setPolicy(trx, { inboxId, principalId: null }, { bulkReview: true }, now()))
  const ledger = createOperationLedger({
    db,
    keyRing,
    clock: systemClock,
    lease: { owner: newId('proc'), seconds: 90 },
  })
  const desk = createToolBench({ tenantId, ledger, inbox: record })
  const mailbox = desk.inboxes[0]?.mailbox
  assert.ok(mailbox)
  for (const role of ['trash', 'spam'] as const) mailbox.addFolder({ path: role.toUpperCase(), role })
  mailbox.addFolder({ path: 'Work' })
  const store = { database: db, keyRing }
  const approvals = bindApprovals(store, 'https://postern.example')
  const toolDeps: ToolDeps = {
    ...desk.deps,
    inboxes: createInboxDirectory(db),
    policies: createPolicyDirectory(db),
    approvals,
    clock: systemClock,
  }
  const opener = { open: toolDeps.openInbox }
  const outbox = bindOutbox({ store, ledger, opener, approvals, book: emptyBook })
  const tools = createTools(toolDeps)
  const run = async (tool: string, args: Args) => {
    const principal = await within((trx) => getLivePrincipal(trx, apiKeyId, now()))
    const { signal } = new AbortController()
    const call = {
      principal,
      requestId: 'req',
      signal,
      log: silentLog,
      isReadOnly: false,
      progress: null,
    }
    return (await tools.callTool(call, tool, args)).result
  }
  const bench: Bench = {
    tenantId,
    apiKeyId,
    mailbox,
    round: makeApprovalRound({ store, ledger, outbox, toolDeps, log: silentLog }),
    call: async (tool, args) => answerOf(await run(tool, args)),
    fails: async (tool, args) => errorOf(await run(tool, args))['error_code'],
    deliver: (subject, folder = 'INBOX') =>
      void mailbox.append(folder, {
        raw: buildMessage({ subject, from: 'News <news@shop.example>' }),
        receivedAt: new Date(Date.now() - 60_000),
      }),
    subjects: (folder) =>
      (mailbox.findFolder(folder)?.messages ?? []).map(
        ({ raw }) => /^Subject: (.*?)\r?$/m.exec(Buffer.from(raw).toString('latin1'))?.[1] ?? '',
      ),
    async approval(operationId) {
      const found = await within((trx) => findApprovalOf(trx, String(operationId), now()))
      assert.ok(found)
      return found
    },
    async held(operationId) {
      const approval = await bench.approval(operationId)
      return unpackHeldBulk(await within((trx) => openHeld(trx, keyRing, approval)), approval.sha256)
    },
    async decide(operationId, verdict) {
      const { approvalId, sha256 } = await bench.approval(operationId)
      const decision = { verdict, decidedBy: 'operator', reason: null, sha256 }
      await within((trx) => decideApproval(trx, approvalId, decision, now()))
    },
    async outcome(operationId) {
      const told = await bench.call('operation_get', { operation_id: operationId })
      return [told['outcome'], told['fault_code']]
    },
    within,
  }
  for (const subject of ['News 1', 'News 2', 'News 3', 'Letter']) bench.deliver(subject)
  return bench
}

const news = ['News 1', 'News 2', 'News 3']
const intoWork = { subject: 'News', destination_folder_id: 'Work' }

async function asSuperuser(statement: string, ...values: readonly unknown[]): Promise<readonly Args[]> {
  return withOwner(database.superuserUrl, async (client) => {
    const { rows } = await client.query<Args>(statement, [...values])
    return rows
  })
}

test('check 122: a reviewed change is frozen: nothing is changed, no mail is told, what is held is sealed', async () => {
  const bench = await makeBench()
  const calls = [
    ['email_search_and_move', intoWork, { kind: 'move', folderId: 'Work' }],
    ['email_delete', { action: 'search_and_delete', subject: 'News' }, { kind: 'trash' }],
    ['email_delete', { action: 'search_and_delete', subject: 'News', permanent: true }, { kind: 'delete' }],
  ] as const
  for (const [tool, args, act] of calls) {
    const before = Date.now()
    const answer = await bench.call(tool, args)
    assert.deepEqual(
      [answer['outcome'], answer['match_count'], answer['succeeded']],
      ['pending_approval', 3, 0],
    )
    assert.match(String(answer['review_url']), /^https:\/\/postern\.example\/approvals\/ap_/)
    const minutes = (Date.parse(String(answer['expires_at'])) - before) / 60_000
    assert.ok(minutes >= 15 && minutes < 16, String(minutes))
    assert.doesNotMatch(JSON.stringify(answer), /News|shop\.example/)
    assert.equal('undo' in answer, false)
    const { refs, sample, act: heldAct } = await bench.held(answer['operation_id'])
    assert.deepEqual([refs.length, heldAct], [3, act])
    assert.deepEqual(sample.map(({ from, subject }) => `${from} ${subject}`).sort(), [
      'news@shop.example News 1',
      'news@shop.example News 2',
      'news@shop.example News 3',
    ])
  }
  assert.deepEqual(bench.subjects('INBOX'), [...news, 'Letter'])
  const pieces = await asSuperuser(
    'select envelope from approval_pieces where tenant_id = $1',
    bench.tenantId,
  )
  assert.equal(pieces.length, 3)
  for (const { envelope } of pieces) {
    assert.ok(Buffer.isBuffer(envelope))
    assert.doesNotMatch(envelope.toString('latin1'), /News|shop\.example|Work|locator|refs/)
  }
  await bench.round()
  assert.deepEqual(bench.subjects('INBOX'), [...news, 'Letter'])
})

test('check 122: once approved exactly the frozen messages are moved, once, and undo brings them back', async () => {
  const bench = await makeBench()
  const { operation_id: id } = await bench.call('email_search_and_move', intoWork)
  bench.deliver('News of later')
  await bench.decide(id, 'approved')
  await Promise.all([bench.round(), bench.round(), bench.round()])
  assert.deepEqual(bench.subjects('INBOX'), ['Letter', 'News of later'])
  assert.deepEqual([...bench.subjects('Work')].sort(), news)
  assert.deepEqual(await bench.outcome(id), ['done', null])
  const told = await bench.call('operation_get', { operation_id: id })
  assert.deepEqual(told['counts'], { matched: 3, succeeded: 3, unchanged: 0, failed: 0, unknown: 0 })
  assert.deepEqual(told['ids'], { destination_folder_id: 'Work' })
  // Whatever becomes of its row, what was held is gone and is not done again.
  await bench.call('email_organize', { action: 'undo', operation_id: id })
  assert.deepEqual([...bench.subjects('INBOX')].sort(), ['Letter', ...news, 'News of later'])
  await bench.round()
  assert.deepEqual(bench.subjects('Work'), [])
  await assert.rejects(bench.decide(id, 'approved'), { code: 'invalid_arguments' })
})

test('a message that moved meanwhile is followed, one that is gone fails alone', async () => {
  const bench = await makeBench()
  const { operation_id: id } = await bench.call('email_delete', {
    action: 'search_and_delete',
    subject: 'News',
  })
  const rows = (await bench.call('email_read', { action: 'search', subject: 'News' }))['messages'] as {
    readonly message_id: string
    readonly subject: string
  }[]
  const idOf = (subject: string): string => rows.find((row) => row.subject === subject)?.message_id ?? ''
  await bench.call('email_organize', {
    action: 'move',
    message_id: idOf('News 1'),
    destination_folder_id: 'Work',
  })
  await bench.call('email_delete', { action: 'delete', message_id: idOf('News 2'), permanent: true })
  await bench.decide(id, 'approved')
  await bench.round()
  assert.deepEqual(await bench.outcome(id), ['partial', null])
  assert.deepEqual([...bench.subjects('TRASH')].sort(), ['News 1', 'News 3'])
  assert.deepEqual(bench.subjects('Work'), [])
})

test('an approved deletion for ever removes the frozen messages and cannot be undone', async () => {
  const bench = await makeBench()
  const args = { action: 'search_and_delete', subject: 'News', permanent: true }
  const { operation_id: id } = await bench.call('email_delete', args)
  await bench.decide(id, 'approved')
  await bench.round()
  assert.deepEqual(await bench.outcome(id), ['done', null])
  assert.deepEqual([bench.subjects('INBOX'), bench.subjects('TRASH')], [['Letter'], []])
  assert.equal(await bench.fails('email_organize', { action: 'undo', operation_id: id }), 'invalid_arguments')
})

test('check 122: what is not decided in time, or not carried out in time, changes nothing and says so', async () => {
  const bench = await makeBench()
  const late = (await bench.call('email_search_and_move', intoWork))['operation_id']
  const slow = (await bench.call('email_search_and_move', intoWork))['operation_id']
  const rejected = (await bench.call('email_search_and_move', intoWork))['operation_id']
  await bench.decide(slow, 'approved')
  await bench.decide(rejected, 'rejected')
  for (const id of [late, slow])
    await asSuperuser(`update approvals set expires_at = now() - interval '1 s' where operation_id = $1`, id)
  await assert.rejects(bench.decide(late, 'approved'), { code: 'invalid_arguments' })
  await bench.round()
  assert.deepEqual(await bench.outcome(late), ['failed', 'approval_expired'])
  assert.deepEqual(await bench.outcome(slow), ['failed', 'approval_expired'])
  assert.deepEqual(await bench.outcome(rejected), ['failed', null])
  assert.deepEqual(bench.subjects('Work'), [])
})

test('a repeated call with one key waits for one approval, and after an expiry asks for a new one', async () => {
  const bench = await makeBench()
  const args = { ...intoWork, idempotency_key: 'one' }
  const first = await bench.call('email_search_and_move', args)
  const second = await bench.call('email_search_and_move', args)
  assert.deepEqual(
    [second['approval_id'], second['idempotent_replay'], second['match_count']],
    [first['approval_id'], true, 3],
  )
  await asSuperuser(
    `update approvals set expires_at = now() - interval '1 s' where operation_id = $1`,
    first['operation_id'],
  )
  await bench.round()
  const third = await bench.call('email_search_and_move', args)
  assert.equal(third['outcome'], 'pending_approval')
  assert.notEqual(third['approval_id'], first['approval_id'])
  await bench.decide(third['operation_id'], 'approved')
  await bench.round()
  const done = await bench.call('email_search_and_move', args)
  assert.deepEqual([done['outcome'], done['succeeded'], 'undo' in done], ['done', 3, true])
})

test('check 168: key and scopes are those of the moment at which it is carried out', async () => {
  const bench = await makeBench()
  const narrow = (scopes: readonly Scope[]): Promise<unknown> =>
    asSuperuser('update api_keys set scopes = $2 where api_key_id = $1', bench.apiKeyId, [...scopes])
  const approved = async (destination: string): Promise<unknown> => {
    await narrow(allScopes)
    const { operation_id: id } = await bench.call('email_search_and_move', {
      subject: 'News',
      destination_folder_id: destination,
    })
    await bench.decide(id, 'approved')
    return id
  }
  const plain = await approved('Work')
  await narrow(['read:email', 'delete:email'])
  await bench.round()
  assert.deepEqual(await bench.outcome(plain), ['failed', 'insufficient_scope'])
  for (const folder of ['TRASH', 'SPAM']) {
    const discarding = await approved(folder)
    await narrow(['read:email', 'organize:email'])
    await bench.round()
    assert.deepEqual(await bench.outcome(discarding), ['failed', 'insufficient_scope'], folder)
  }
  const unreached = await approved('Work')
  await asSuperuser(`update api_keys set inbox_ids = '{}' where api_key_id = $1`, bench.apiKeyId)
  await bench.round()
  const outcomes = await asSuperuser(
    'select outcome, fault_code from operations where operation_id = $1',
    unreached,
  )
  assert.deepEqual(outcomes, [{ outcome: 'failed', fault_code: 'inbox_not_found' }])
  assert.deepEqual(bench.subjects('INBOX'), [...news, 'Letter'])
})

test('check 168: a key that was revoked meanwhile changes nothing', async () => {
  const bench = await makeBench()
  const { operation_id: id } = await bench.call('email_search_and_move', intoWork)
  await bench.decide(id, 'approved')
  await bench.within((trx) => revokeApiKey(trx, bench.apiKeyId, new Date()))
  await bench.round()
  const outcomes = await asSuperuser('select outcome, fault_code from operations where operation_id = $1', id)
  assert.deepEqual(outcomes, [{ outcome: 'failed', fault_code: 'unauthenticated' }])
  assert.deepEqual(bench.subjects('INBOX'), [...news, 'Letter'])
})

test('check 145: another set than was approved is not touched', async () => {
  const bench = await makeBench()
  const { operation_id: id } = await bench.call('email_search_and_move', intoWork)
  await bench.decide(id, 'approved')
  await asSuperuser(
    `update approvals set digest = decode(repeat('00', 32), 'hex') where operation_id = $1`,
    id,
  )
  await bench.round()
  assert.deepEqual(await bench.outcome(id), ['failed', 'internal_error'])
  assert.deepEqual(bench.subjects('Work'), [])
})

test('what the key may not do is refused, and nobody is asked to approve it', async () => {
  const bench = await makeBench(['read:email', 'organize:email'])
  for (const destination_folder_id of ['TRASH', 'SPAM'])
    assert.equal(
      await bench.fails('email_search_and_move', { subject: 'News', destination_folder_id }),
      'insufficient_scope',
    )
  assert.equal(await bench.fails('email_search_and_move', { destination_folder_id: 'Work' }), 'empty_filter')
  assert.deepEqual(await bench.within((trx) => listPendingApprovals(trx, new Date())), [])
})

test('nothing is put before anybody where nothing matches, or where it is only asked what would match', async () => {
  const bench = await makeBench()
  const nothing = await bench.call('email_search_and_move', { ...intoWork, subject: 'Nothing' })
  assert.deepEqual([nothing['outcome'], nothing['matched']], ['done', 0])
  const shown = await bench.call('email_search_and_move', { ...intoWork, dry_run: true })
  assert.deepEqual([shown['dry_run'], shown['matched']], [true, 3])
  assert.deepEqual(await bench.within((trx) => listPendingApprovals(trx, new Date())), [])
})

test('another tenant neither sees nor decides nor opens what waits', async () => {
  const bench = await makeBench()
  const other = await makeBench()
  const { operation_id: id } = await bench.call('email_search_and_move', intoWork)
  const { approvalId, sha256, ...rest } = await bench.approval(id)
  assert.equal(rest.kind, 'bulk')
  assert.equal(await other.fails('operation_get', { operation_id: id }), 'operation_not_found')
  await other.within(async (trx) => {
    assert.deepEqual(await listPendingApprovals(trx, new Date()), [])
    assert.equal(await findApprovalOf(trx, String(id), new Date()), null)
  })
  const decision = { verdict: 'approved', decidedBy: 'intruder', reason: null, sha256 } as const
  const stolen = { approvalId, sha256, ...rest }
  await assert.rejects(
    other.within((trx) => decideApproval(trx, approvalId, decision, new Date())),
    { code: 'invalid_arguments' },
  )
  await assert.rejects(
    other.within((trx) => openHeld(trx, database.keyRing, stolen)),
    { code: 'invalid_arguments' },
  )
  await bench.round()
  assert.deepEqual(bench.subjects('INBOX'), [...news, 'Letter'])
})
