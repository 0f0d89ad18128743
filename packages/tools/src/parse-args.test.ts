import { Fault } from '@postern/core'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { defineAction, defineTool } from './define-tool.ts'
import * as params from './params.ts'
import { parseArgs } from './parse-args.ts'

const output = z.strictObject({})
const run = (): Promise<Record<string, never>> => Promise.resolve({})
const base = { scopes: [], target: 'inbox', seconds: 25, output, run } as const

/** A tool with reads and a write, as the catalogue will have: rules for both can be tried on one. */
const tool = defineTool({
  name: 'sample',
  title: 'Sample',
  description: 'Sample.',
  isIdempotent: true,
  isBulk: false,
  toolset: 'core',
  actions: [
    defineAction({
      ...base,
      action: 'search',
      effect: 'read',
      input: z.strictObject({ ...params.searchFields, limit: params.limit, offset: params.offset }),
      example: {},
    }),
    defineAction({
      ...base,
      action: 'read',
      effect: 'read',
      input: z.strictObject({
        message_id: params.messageId,
        links: params.links,
        include_html: params.includeHtml,
      }),
      example: { message_id: 'm_...' },
    }),
    defineAction({
      ...base,
      action: 'read_batch',
      effect: 'read',
      input: z.strictObject({ message_ids: params.messageIds }),
      example: { message_ids: ['m_...'] },
    }),
    defineAction({
      ...base,
      action: 'list',
      effect: 'read',
      input: z.strictObject({ folder: params.folder, unread_only: params.unreadOnly }),
      example: {},
    }),
    defineAction({
      ...base,
      action: 'delete',
      effect: 'destroy',
      input: z.strictObject({
        message_ids: params.messageIds,
        limit: z.number().int().min(1).max(500).default(100).describe('x').meta({ kind: 'clamped' }),
      }),
      example: { message_ids: ['m_...'] },
    }),
  ],
})

function parse(args: Record<string, unknown>): {
  input: Record<string, unknown>
  notes: string[]
  inbox: string | null
  inboxId: string | null
} {
  const notes: string[] = []
  const parsed = parseArgs(
    tool,
    args,
    () => undefined,
    (sentence) => notes.push(sentence),
  )
  return { input: { ...parsed.input }, notes, inbox: parsed.inbox, inboxId: parsed.inboxId }
}

function refusal(args: Record<string, unknown>): Fault {
  try {
    parse(args)
  } catch (error) {
    assert.ok(error instanceof Fault)
    return error
  }
  assert.fail('the arguments were accepted')
}

test('check 23: numbers, lists and booleans given as text are read as what they stand for, and noted', () => {
  const { input, notes } = parse({
    action: 'search',
    limit: '10',
    unread: 'TRUE',
    include_folders: '["a","b"]',
    larger: '5M',
  })
  assert.equal(input['limit'], 10)
  assert.equal(input['unread'], true)
  assert.deepEqual(input['include_folders'], ['a', 'b'])
  assert.equal(input['larger'], 5 * 1024 * 1024)
  assert.equal(notes.length, 4)
})

test('check 24: a limit outside its range is clamped on a read, with a note, and refused on a write', () => {
  const { input, notes } = parse({ action: 'search', limit: 200 })
  assert.equal(input['limit'], 100)
  assert.match(notes.join(), /limit was set to 100/)
  const fault = refusal({ action: 'delete', message_ids: ['m_1'], limit: 600 })
  assert.equal(fault.code, 'invalid_arguments')
  assert.match(fault.public, /1 to 500/)
})

test('check 25: one id in a list is that id; two ids on an action of one are refused, naming the batch action', () => {
  assert.equal(parse({ action: 'read', message_ids: ['m_1'] }).input['message_id'], 'm_1')
  assert.deepEqual(parse({ action: 'read_batch', message_id: 'm_1' }).input['message_ids'], ['m_1'])
  const fault = refusal({ action: 'read', message_ids: ['m_1', 'm_2'] })
  assert.match(fault.public, /read_batch/)
})

test('ids in one comma-separated string are a list, and repeats are one message', () => {
  assert.deepEqual(parse({ action: 'read_batch', message_ids: 'm_1, m_2,m_1' }).input['message_ids'], [
    'm_1',
    'm_2',
  ])
})

test('check 26: camelCase and hyphens are read as snake_case', () => {
  assert.equal(parse({ action: 'read', messageId: 'm_1' }).input['message_id'], 'm_1')
  assert.equal(parse({ action: 'read', 'message-id': 'm_1' }).input['message_id'], 'm_1')
  assert.equal(parse({ action: 'read', id: 'm_1' }).input['message_id'], 'm_1')
})

test('check 27: an alias that differs from the real name conflicts; an equal one is kept once', () => {
  assert.equal(refusal({ action: 'search', q: 'a', query: 'b' }).code, 'conflicting_arguments')
  assert.equal(parse({ action: 'search', q: 'a', query: 'a' }).input['query'], 'a')
  assert.equal(parse({ action: 'search', sender: 'amy' }).input['from'], 'amy')
})

test('check 28: what clients add to every call is ignored without a note', () => {
  const { notes } = parse({
    action: 'search',
    toolCallId: 'x',
    sessionId: 'y',
    chatInput: 'z',
    tool_call_id: 1,
    _meta: {},
  })
  assert.deepEqual(notes, [])
})

test('check 29: a misspelt name is refused with the nearest valid one', () => {
  const fault = refusal({ action: 'search', querry: 'x' })
  assert.equal(fault.code, 'unknown_argument')
  assert.match(fault.public, /"query"/)
})

test('check 30: an argument of another action is dropped from a read with a note and refused on a write', () => {
  const { input, notes } = parse({ action: 'search', message_id: 'm_1' })
  assert.equal('message_id' in input, false)
  assert.match(notes.join(), /message_id was ignored/)
  const fault = refusal({ action: 'delete', message_ids: ['m_1'], query: 'x' })
  assert.equal(fault.code, 'argument_not_allowed')
  assert.match(fault.public, /search/)
})

test('check 30: a neutral value of another action is dropped without a word, on writes too', () => {
  for (const neutral of [false, 0, '', []]) {
    assert.deepEqual(parse({ action: 'delete', message_ids: ['m_1'], query: neutral }).notes, [])
  }
  assert.deepEqual(parse({ action: 'delete', message_ids: ['m_1'], links: 'hosts' }).notes, [])
  assert.equal(
    refusal({ action: 'delete', message_ids: ['m_1'], include_html: true }).code,
    'argument_not_allowed',
  )
})

test('check 31: asking a read to set flags says that reading never does, and where it is done', () => {
  const fault = refusal({ action: 'read', message_id: 'm_1', mark_as_read: true })
  assert.equal(fault.code, 'unknown_argument')
  assert.match(fault.public, /email_organize `flag`/)
})

test('null is an argument left out, without a note', () => {
  const { input, notes } = parse({ action: 'search', from: null, limit: null })
  assert.equal(input['limit'], 20)
  assert.deepEqual(notes, [])
})

test('a missing argument is named with a call that would work', () => {
  const fault = refusal({ action: 'read' })
  assert.equal(fault.code, 'missing_argument')
  assert.match(fault.public, /"message_id".*\{"action":"read","message_id":"m_\.\.\."\}/)
})

test('folder and unread stand for the name that the action takes', () => {
  const { input } = parse({ action: 'list', folder_id: 'Bills', unread: true })
  assert.deepEqual(input, { folder: 'Bills', unread_only: true })
  assert.equal(parse({ action: 'search', unread_only: 'true' }).input['unread'], true)
})

test('an address given as inbox_id and an id given as inbox change places', () => {
  const id = '0b54b1f1-7c2e-4a5d-9d11-6f1f4c1f2a3b'
  assert.equal(parse({ action: 'search', inbox_id: 'a@x.example' }).inbox, 'a@x.example')
  assert.equal(parse({ action: 'search', inbox: id }).inboxId, id)
  assert.equal(parse({ action: 'search', account: id }).inboxId, id)
  assert.equal(parse({ action: 'search', mailbox: 'a@x.example' }).inbox, 'a@x.example')
})

test('an action in other case, with hyphens or by a synonym is understood when it reads, and only spelling when it writes', () => {
  assert.deepEqual(parse({ action: 'Read-Batch', message_ids: ['m_1'] }).input['message_ids'], ['m_1'])
  assert.equal(parse({ action: 'get', message_id: 'm_1' }).input['message_id'], 'm_1')
  assert.deepEqual(parse({ action: 'DELETE', message_ids: ['m_1'] }).input['limit'], 100)
  const fault = refusal({ action: 'remove', message_ids: ['m_1'] })
  assert.equal(fault.code, 'invalid_arguments')
  assert.match(fault.public, /search, read, read_batch, list, delete/)
})

test('names from an object prototype are unknown arguments, not properties', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const args = JSON.parse(`{"action":"search","${name}":"x"}`) as Record<string, unknown>
    assert.equal(refusal(args).code, 'unknown_argument')
  }
})

test('the scope check runs once the action is known and before the other arguments are judged', () => {
  const denied = new Fault('insufficient_scope', { public: 'no' })
  const deny = (): void => {
    throw denied
  }
  assert.throws(() => parseArgs(tool, { action: 'search', querry: 'x' }, deny, () => undefined), denied)
  assert.throws(() => parseArgs(tool, { action: 'nonsense' }, deny, () => undefined), {
    code: 'invalid_arguments',
  })
})

test('a value of the wrong type is refused with the accepted range and the value given', () => {
  const fault = refusal({ action: 'search', limit: { $gt: 1 } })
  assert.equal(fault.code, 'invalid_arguments')
  assert.match(fault.public, /"limit" must be an integer from 1 to 100/)
})
