import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { atTerminal } from './support/at-terminal.ts'
import { install, isRecord, list, type Installation } from './support/postern.ts'

describe('approving at the command line', () => {
  let postern: Installation
  let url = ''
  let key = ''
  const inbox = 'robin@sandbox.example'
  const environment = (): Record<string, string> => ({ POSTERN_DATA_DIR: postern.dataDir, POSTERN_PORT: '0' })
  const call = (tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> =>
    postern.json(['call', tool, JSON.stringify(args), '--key', key, '--url', url])

  before(async () => {
    postern = await install()
    await postern.json(['tenant', 'create', 'Ada'])
    await postern.json(['inbox', 'connect', 'sandbox'])
    key = String(
      (await postern.json(['key', 'create', '--scopes', 'send:email,read:email,delete:email']))['key'],
    )
    await postern.json(['policy', 'set', inbox, '--approval', 'on', '--bulk-review', 'on'])
    url = (await postern.start()).url
  })
  after(() => postern.remove())

  const hold = async (subject: string): Promise<{ approvalId: string; operationId: string }> => {
    const body = 'Dear Robin,\n\u001b[31mred\u001b[0m words.'
    const held = await call('email_compose', { action: 'send', to: [inbox], subject, body })
    assert.equal(held['outcome'], 'pending_approval')
    assert.doesNotMatch(JSON.stringify(held), /red words|Dear/)
    return { approvalId: String(held['approval_id']), operationId: String(held['operation_id']) }
  }

  const outcomeOf = async (operationId: string): Promise<unknown> => {
    for (let tries = 0; ; tries++) {
      const { outcome } = await call('operation_get', { operation_id: operationId })
      const isOpen = outcome === 'pending_approval' || outcome === null
      if (!isOpen || tries > 20) return outcome
      await delay(500)
    }
  }

  it('whoever sits at the terminal sees all of the message, types its code, and it goes', async () => {
    const { approvalId, operationId } = await hold('Lunch')
    const [waiting] = list((await postern.json(['approvals', 'list']))['approvals'])
    assert.equal(waiting?.['approval_id'], approvalId)
    const shown = await postern.json(['approvals', 'show', approvalId])
    assert.ok(isRecord(shown['message']))
    assert.deepEqual(shown['message']['to'], [inbox])
    const wrong = await atTerminal(['approvals', 'approve', approvalId], environment(), {
      asks: /Type the code/,
      answer: () => '000000x',
    })
    assert.notEqual(wrong.code, 0)
    const right = await atTerminal(['approvals', 'approve', approvalId], environment(), {
      asks: /Type the code/,
      answer: (text) => /^Code\s+(\S+)/m.exec(text)?.[1] ?? '',
    })
    assert.equal(right.code, 0, right.stdout)
    assert.match(right.stdout, /Subject\s+Lunch/)
    assert.match(right.stdout, /\| Dear Robin,/)
    assert.doesNotMatch(right.stdout, /\u001b\[31m/)
    assert.equal(await outcomeOf(operationId), 'sent')
    const { messages } = await call('email_read', { action: 'search', subject: 'Lunch' })
    assert.ok(list(messages).some(({ subject }) => subject === 'Lunch'))
  })

  it('check 17: what is rejected is not sent, and operation_get tells the agent why', async () => {
    const { approvalId, operationId } = await hold('Party')
    const rejected = await atTerminal(
      ['approvals', 'reject', approvalId, '--reason', 'not now'],
      environment(),
      {
        asks: /Type the code/,
        answer: (text) => /^Code\s+(\S+)/m.exec(text)?.[1] ?? '',
      },
    )
    assert.equal(rejected.code, 0, rejected.stdout)
    assert.equal(await outcomeOf(operationId), 'not_sent')
    const { approval } = await call('operation_get', { operation_id: operationId })
    assert.ok(isRecord(approval))
    assert.deepEqual([approval['status'], approval['reason']], ['rejected', 'not now'])
    assert.deepEqual((await postern.json(['approvals', 'list']))['approvals'], [])
  })

  it('check 122: of a change of many messages its act, their number and some of them are shown; then it is done', async () => {
    const args = { action: 'search_and_delete', from: 'example', limit: 25 }
    const asked = await call('email_delete', args)
    assert.deepEqual([asked['outcome'], asked['match_count']], ['pending_approval', 25])
    const approvalId = String(asked['approval_id'])
    const shown = await postern.json(['approvals', 'show', approvalId])
    assert.ok(isRecord(shown['bulk']))
    assert.deepEqual(
      [shown['kind'], shown['bulk']['act'], shown['bulk']['match_count']],
      ['bulk', 'trash', 25],
    )
    assert.equal(list(shown['bulk']['sample']).length, 20)
    const approved = await atTerminal(['approvals', 'approve', approvalId], environment(), {
      asks: /Type the code to move these 25 messages to Trash/,
      answer: (text) => /^Code\s+(\S+)/m.exec(text)?.[1] ?? '',
    })
    assert.equal(approved.code, 0, approved.stdout)
    assert.match(approved.stdout, /^Act\s+move to Trash\s*$/m)
    assert.match(approved.stdout, /^Messages\s+25\s*$/m)
    assert.match(approved.stdout, /^\| DATE\s+FROM\s+SUBJECT\s*$/m)
    assert.equal(approved.stdout.match(/^\| \d{4}-\d\d-\d\d /gm)?.length, 20)
    assert.match(approved.stdout, /^and 5 more\s*$/m)
    assert.match(approved.stdout, /It is done within seconds/)
    const operationId = String(asked['operation_id'])
    assert.equal(await outcomeOf(operationId), 'done')
    const { counts } = await call('operation_get', { operation_id: operationId })
    assert.deepEqual(counts, { matched: 25, succeeded: 25, unchanged: 0, failed: 0, unknown: 0 })
  })
})
