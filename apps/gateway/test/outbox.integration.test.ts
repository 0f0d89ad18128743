import { digestOf, type Operation, type OperationRequest, type Principal } from '@postern/access'
import { Fault, newId, randomBase62, silentLog, systemClock } from '@postern/core'
import {
  buildMessage,
  createMemoryBook,
  createToolBench,
  makeInbox,
  makeTenant,
  startTestDatabase,
  type MemoryBook,
  type TestDatabase,
} from '@postern/fixtures'
import { findHeader, parseHeaderBlock, type WriteCall } from '@postern/mail'
import { compose, parseMailbox, type Outbox, type Submitted } from '@postern/outbox'
import {
  createMemoryAdapter,
  createMemoryMailbox,
  createMemoryPost,
  type MemoryMailbox,
} from '@postern/providers'
import {
  closeApproval,
  createOperationLedger,
  decideApproval,
  findApprovalOf,
  getApproval,
  getLivePrincipal,
  issueApiKey,
  listPendingApprovals,
  revokeApiKey,
  setPolicy,
  withOwner,
  withTenant,
  type PolicyChange,
  type ProcessLedger,
} from '@postern/store'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bindApprovals, makeApprovalRound } from '../src/bind-approvals.ts'
import { bindOutbox } from '../src/bind-outbox.ts'
import type { Round } from '../src/sweep.ts'

let database: TestDatabase
before(async () => void (database = await startTestDatabase()))
after(() => database.close())

const friend = 'amy@away.example'

interface Bench {
  readonly tenantId: string
  readonly principal: Principal
  readonly inboxId: string
  readonly own: MemoryMailbox
  readonly book: MemoryBook
  readonly friends: MemoryMailbox
  readonly ledger: ProcessLedger
  readonly outbox: Outbox
  readonly round: Round
  /** Claims, submits and settles as a tool does. */
  send(subject: string, to?: string): Promise<{ operation: Operation; submitted: Submitted | Fault }>
  set(change: PolicyChange, principalId?: string): Promise<void>
  /** What it came to. */
  outcome(operation: Operation): Promise<readonly [string | null, string | null]>
  /** Its approval, decided as somebody who has seen it does. */
  decide(operation: Operation, verdict: 'approved' | 'rejected'): Promise<string>
}

async function makeBench(): Promise<Bench> {
  const { db, keyRing } = database
  const tenantId = await makeTenant(db)
  const inbox = await makeInbox(db, tenantId, { emailAddress: `owner@${tenantId}.example` })
  const issued = await issueApiKey(db, keyRing, tenantId, {
    name: 'sender',
    scopes: ['send:email'],
    inboxIds: [inbox.inboxId],
    expiresAt: null,
  })
  const now = (): Date => systemClock.now()
  const principal = await withTenant(db, tenantId, (trx) =>
    getLivePrincipal(trx, issued.record.apiKeyId, now()),
  )
  const own = createMemoryMailbox([{ path: 'Sent', role: 'sent' }])
  const friends = createMemoryMailbox()
  const post = createMemoryPost([[friend, friends]])
  const ledger = createOperationLedger({
    db,
    keyRing,
    clock: systemClock,
    lease: { owner: newId('proc'), seconds: 90 },
  })
  const adapter = createMemoryAdapter(own, { ownAddresses: [inbox.emailAddress], post })
  const store = { database: db, keyRing }
  const opener = { open: () => Promise.resolve(adapter) }
  const book = createMemoryBook()
  const approvals = bindApprovals(store, 'https://postern.example')
  const outbox = bindOutbox({ store, ledger, opener, approvals, book })
  const toolDeps = createToolBench().deps
  const round = makeApprovalRound({ store, ledger, outbox, toolDeps, log: silentLog })
  const bench: Bench = {
    tenantId,
    principal,
    inboxId: inbox.inboxId,
    own,
    book,
    friends,
    ledger,
    outbox,
    round,
    async send(subject, to = friend) {
      const request: OperationRequest = {
        tenantId,
        principalId: principal.principalId,
        operation: 'email_compose.send',
        inboxId: inbox.inboxId,
        idempotencyKey: newId('k'),
        digest: digestOf({ subject }),
      }
      const claim = await ledger.claim(request)
      assert.ok(claim.kind === 'claimed')
      const { operation } = claim
      const call: WriteCall = {
        signal: new AbortController().signal,
        deadline: new Date(Date.now() + 20_000),
        log: silentLog,
        enter: (stage) => ledger.enter(operation, stage),
      }
      const message = await compose(
        {
          from: parseMailbox(inbox.emailAddress, 'from'),
          replyTo: null,
          to: [parseMailbox(to, 'to')],
          cc: [],
          bcc: [],
          subject,
          text: `Secret words of ${subject}.`,
          html: null,
          inReplyTo: null,
          references: [],
          files: [],
        },
        { now: new Date('2026-01-01T00:00:00Z'), token: randomBase62(20) },
      )
      const submitted = await outbox
        .submit(
          { principal, operation, inbox, message, draft: null, participants: () => Promise.resolve([]) },
          call,
        )
        .catch((error: unknown) => {
          assert.ok(error instanceof Fault)
          return error
        })
      const outcome =
        submitted instanceof Fault ? 'not_sent' : submitted.kind === 'held' ? 'pending_approval' : 'sent'
      const faultCode = submitted instanceof Fault ? submitted.code : null
      await ledger.settle(operation, { outcome, faultCode, result: {} }, [])
      return { operation, submitted }
    },
    set: (change, principalId) =>
      withTenant(db, tenantId, (trx) =>
        setPolicy(trx, { inboxId: inbox.inboxId, principalId: principalId ?? null }, change, now()),
      ),
    async outcome({ operationId }) {
      const { outcome, faultCode } = await ledger.get(principal, operationId)
      return [outcome, faultCode]
    },
    async decide({ operationId }, verdict) {
      const approval = await withTenant(db, tenantId, (trx) => findApprovalOf(trx, operationId, now()))
      assert.ok(approval !== null)
      const { approvalId, sha256 } = approval
      const decision = { verdict, decidedBy: 'operator', reason: null, sha256 }
      await withTenant(db, tenantId, (trx) => decideApproval(trx, approvalId, decision, now()))
      return approvalId
    },
  }
  return bench
}

const subjectsOf = (mailbox: MemoryMailbox): readonly string[] =>
  (mailbox.findFolder('INBOX')?.messages ?? []).map(
    ({ raw }) => findHeader(parseHeaderBlock(raw).fields, 'Subject') ?? '',
  )

const codeOf = (submitted: Submitted | Fault): string =>
  submitted instanceof Fault ? submitted.code : submitted.kind

test('where nothing is ruled a message goes at once', async () => {
  const bench = await makeBench()
  const { operation, submitted } = await bench.send('Hello')
  assert.equal(codeOf(submitted), 'answered')
  assert.deepEqual(subjectsOf(bench.friends), ['Hello'])
  assert.match(
    (await bench.ledger.get(bench.principal, operation.operationId)).rfcMessageId ?? '',
    /^<.+@.+>$/,
  )
})

test('a held message is not sent, is stored sealed, and goes once it is approved, with the date of then', async () => {
  const bench = await makeBench()
  await bench.set({ sendApproval: true })
  const { operation, submitted } = await bench.send('Held')
  assert.equal(codeOf(submitted), 'held')
  assert.deepEqual(subjectsOf(bench.friends), [])
  const pieces = await withOwner(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ envelope: Buffer }>(
      'select envelope from approval_pieces where tenant_id = $1',
      [bench.tenantId],
    )
    return rows
  })
  assert.equal(pieces.length, 1)
  assert.doesNotMatch(pieces[0]?.envelope.toString('latin1') ?? '', /Secret|Held|amy@/)
  await bench.round()
  assert.deepEqual(subjectsOf(bench.friends), [])
  const approvalId = await bench.decide(operation, 'approved')
  await Promise.all([bench.round(), bench.round(), bench.round()])
  assert.deepEqual(subjectsOf(bench.friends), ['Held'])
  assert.deepEqual(await bench.outcome(operation), ['sent', null])
  const [arrived] = bench.friends.findFolder('INBOX')?.messages ?? []
  const date = findHeader(parseHeaderBlock(arrived?.raw ?? new Uint8Array()).fields, 'Date')
  assert.ok(Math.abs(Date.parse(date ?? '') - Date.now()) < 60_000, date ?? '')
  const closed = await withTenant(database.db, bench.tenantId, (trx) =>
    getApproval(trx, approvalId, new Date()),
  )
  assert.equal(closed.isClosed, true)
})

test('what is rejected, or not decided in time, is never sent, and its operation says so', async () => {
  const bench = await makeBench()
  await bench.set({ sendApproval: true })
  const rejected = (await bench.send('No')).operation
  await bench.decide(rejected, 'rejected')
  const late = (await bench.send('Late')).operation
  await asSuperuser(
    `update approvals set expires_at = now() - interval '1 s' where operation_id = $1`,
    late.operationId,
  )
  await bench.round()
  assert.deepEqual(await bench.outcome(rejected), ['not_sent', null])
  assert.deepEqual(await bench.outcome(late), ['not_sent', 'approval_expired'])
  assert.deepEqual(subjectsOf(bench.friends), [])
  await assert.rejects(bench.decide(late, 'approved'), { code: 'invalid_arguments' })
})

test('check 168: key, scopes and rules are those of the moment of sending', async () => {
  const bench = await makeBench()
  await bench.set({ sendApproval: true })
  const ruled = (await bench.send('Ruled')).operation
  await bench.decide(ruled, 'approved')
  await bench.set({ recipientRules: [{ kind: 'list', entries: ['@home.example'] }] })
  await bench.round()
  assert.deepEqual(await bench.outcome(ruled), ['not_sent', 'recipient_not_allowed'])
  await bench.set({ recipientRules: null })
  const revoked = (await bench.send('Revoked')).operation
  await bench.decide(revoked, 'approved')
  await withTenant(database.db, bench.tenantId, (trx) =>
    revokeApiKey(trx, bench.principal.principalId, new Date()),
  )
  await bench.round()
  assert.deepEqual(await bench.outcome(revoked), ['not_sent', 'unauthenticated'])
  assert.deepEqual(subjectsOf(bench.friends), [])
})

test('check 145: what was approved is what is sent: another hash is not', async () => {
  const bench = await makeBench()
  await bench.set({ sendApproval: true })
  const one = (await bench.send('One')).operation
  await assert.rejects(
    withTenant(database.db, bench.tenantId, async (trx) => {
      const [approval] = await listPendingApprovals(trx, new Date())
      const decision = {
        verdict: 'approved',
        decidedBy: 'operator',
        reason: null,
        sha256: '00'.repeat(32),
      } as const
      await decideApproval(trx, approval?.approvalId ?? '', decision, new Date())
    }),
    { code: 'invalid_arguments' },
  )
  await bench.decide(one, 'approved')
  await asSuperuser(
    `update approvals set digest = decode(repeat('00', 32), 'hex') where operation_id = $1`,
    one.operationId,
  )
  await bench.round()
  assert.deepEqual(await bench.outcome(one), ['not_sent', 'internal_error'])
  assert.deepEqual(subjectsOf(bench.friends), [])
})

test('another tenant sees no approval and decides none', async () => {
  const bench = await makeBench()
  const other = await makeBench()
  await bench.set({ sendApproval: true })
  const { operation } = await bench.send('Mine')
  const approval = await withTenant(database.db, bench.tenantId, (trx) =>
    findApprovalOf(trx, operation.operationId, new Date()),
  )
  assert.ok(approval !== null)
  await withTenant(database.db, other.tenantId, async (trx) => {
    assert.deepEqual(await listPendingApprovals(trx, new Date()), [])
    assert.equal(await findApprovalOf(trx, operation.operationId, new Date()), null)
  })
  const decision = {
    verdict: 'approved',
    decidedBy: 'intruder',
    reason: null,
    sha256: approval.sha256,
  } as const
  await assert.rejects(
    withTenant(database.db, other.tenantId, (trx) =>
      decideApproval(trx, approval.approvalId, decision, new Date()),
    ),
    { code: 'invalid_arguments' },
  )
  await withTenant(database.db, other.tenantId, (trx) => closeApproval(trx, approval.approvalId, new Date()))
  await assert.rejects(
    withTenant(database.db, other.tenantId, (trx) =>
      setPolicy(trx, { inboxId: bench.inboxId, principalId: null }, { sendApproval: false }, new Date()),
    ),
    { code: 'inbox_not_found' },
  )
  await assert.rejects(
    withTenant(database.db, other.tenantId, (trx) =>
      getLivePrincipal(trx, bench.principal.principalId, new Date()),
    ),
    { code: 'unauthenticated' },
  )
  await bench.round()
  assert.deepEqual(subjectsOf(bench.friends), [])
  await bench.decide(operation, 'approved')
  await bench.round()
  assert.deepEqual(subjectsOf(bench.friends), ['Mine'])
})

test('of many sends at once exactly as many pass as the cap allows, and one that came to nothing does not count', async () => {
  const bench = await makeBench()
  await bench.set({ sendsPerDay: 3 })
  await bench.set({ recipientRules: [{ kind: 'list', entries: [friend] }] }, bench.principal.principalId)
  const refused = await bench.send('Refused', 'eve@evil.example')
  assert.equal(codeOf(refused.submitted), 'recipient_not_allowed')
  const all = await Promise.all(Array.from({ length: 12 }, (_, n) => bench.send(`Number ${String(n)}`)))
  const codes = all.map(({ submitted }) => codeOf(submitted))
  assert.equal(codes.filter((code) => code === 'answered').length, 3)
  assert.equal(codes.filter((code) => code === 'send_cap_reached').length, 9)
  assert.equal(subjectsOf(bench.friends).length, 3)
})

test('the rules of the inbox and those of the key hold together, and an empty list allows nobody', async () => {
  const bench = await makeBench()
  await bench.set({ recipientRules: [{ kind: 'anyone' }] })
  await bench.set({ recipientRules: [] }, bench.principal.principalId)
  assert.equal(codeOf((await bench.send('No')).submitted), 'recipient_not_allowed')
  await bench.set({ recipientRules: [] }, 'key_of_somebody_else')
  await bench.set({ recipientRules: null }, bench.principal.principalId)
  assert.equal(codeOf((await bench.send('Yes')).submitted), 'answered')
})

test('a known correspondent is one whom the owner has written to, and nothing else in Sent makes one', async () => {
  const bench = await makeBench()
  await bench.set({ recipientRules: [{ kind: 'known_correspondents' }] })
  const owner = `owner@${bench.tenantId}.example`
  const lay = (from: string, to: string, flags: { draft?: boolean } = {}): void =>
    void bench.own.append('Sent', { raw: buildMessage({ from, to }), receivedAt: new Date(), flags })
  lay(owner, `rob-${friend}`)
  lay('eve@evil.example', friend)
  lay(owner, friend, { draft: true })
  assert.equal(codeOf((await bench.send('No')).submitted), 'recipient_not_allowed')
  lay(`Owner <${owner.toUpperCase()}>`, `"Amy" <${friend.toUpperCase()}>`)
  assert.equal(codeOf((await bench.send('Yes')).submitted), 'answered')
})

test('who is counted in the contact book as written to from this inbox is known, and who was written to from another is not', async () => {
  const bench = await makeBench()
  await bench.set({ recipientRules: [{ kind: 'known_correspondents' }] })
  bench.book.add({ name: 'Amy', inboxIds: ['elsewhere'] }, [{ spelling: friend, out: 3 }])
  assert.equal(codeOf((await bench.send('Elsewhere')).submitted), 'recipient_not_allowed')
  bench.book.cards.length = 0
  bench.book.add({ name: 'Amy', inboxIds: [bench.inboxId] }, [{ spelling: friend, out: 0, in: 9 }])
  assert.equal(codeOf((await bench.send('Received only')).submitted), 'recipient_not_allowed')
  bench.book.cards.length = 0
  bench.book.add({ name: 'Amy', inboxIds: [bench.inboxId] }, [{ spelling: friend, out: 1 }])
  assert.equal(codeOf((await bench.send('Yes')).submitted), 'answered')
})

async function asSuperuser(statement: string, value: string): Promise<void> {
  await withOwner(database.superuserUrl, (client) => client.query(statement, [value]))
}
