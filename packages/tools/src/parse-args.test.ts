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
      input: z.strictObject({ folder: params.folder, unread_only: params.unreadOnly, limit: params.limit }),
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
  const parsed = parseArgs(tool, args, {
    allow: () => undefined,
    note: (sentence) => void notes.push(sentence),
    isBound: false,
  })
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

test('check 23: an address in a list that is written as text is that address, and a text of words stays text', () => {
  const { input, notes } = parse({ action: 'search', limit: '10', to: '["a@x.example"]', unread: 'true' })
  assert.deepEqual(input, { limit: 10, offset: 0, to: 'a@x.example', unread: true })
  assert.equal(notes.length, 3)
  assert.equal(parse({ action: 'search', body: '["a@x.example"]' }).input['body'], '["a@x.example"]')
  assert.equal(refusal({ action: 'search', to: '["a@x.example","b@x.example"]' }).code, 'invalid_arguments')
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

test('check 25: several ids written as one text are several ids, and an empty list is none', () => {
  for (const several of ['m_1,m_2', '["m_1","m_2"]', ['m_1', 'm_2']]) {
    for (const name of ['message_id', 'message_ids', 'id']) {
      const fault = refusal({ action: 'read', [name]: several })
      assert.equal(fault.code, 'argument_not_allowed')
      assert.equal(fault.details['use'], 'read_batch')
    }
  }
  assert.equal(parse({ action: 'read', message_ids: '["m_1"]' }).input['message_id'], 'm_1')
  assert.equal(refusal({ action: 'read', message_id: [] }).code, 'invalid_arguments')
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
  assert.deepEqual(parse({ action: 'delete', message_ids: ['m_1'], include_html: 'false' }).notes, [])
  assert.deepEqual(parse({ action: 'read', message_id: 'm_1', limit: 20 }).notes, [])
})

test('check 30: true and a text are never neutral, the published default neither', () => {
  for (const meant of [{ include_html: true }, { links: 'hosts' }, { folder: 'INBOX' }]) {
    assert.equal(refusal({ action: 'delete', message_ids: ['m_1'], ...meant }).code, 'argument_not_allowed')
  }
  assert.match(parse({ action: 'search', folder: 'INBOX' }).notes.join(), /search takes include_folders/)
})

test('check 30: a default that a client fills in for another action does not become its opposite here', () => {
  // As an alias, unread_only: false would be unread: false, which leaves out all unread mail.
  const filled = { unread_only: false, folder: '', message_id: '', message_ids: [] }
  const { input, notes } = parse({ action: 'search', ...filled, query: 'x' })
  assert.equal('unread' in input, false)
  assert.deepEqual(notes, [])
  assert.equal('unread_only' in parse({ action: 'list', unread: false }).input, false)
})

test('a filter is never dropped from a listing, under whatever name it comes: its rows would pass for an answer', () => {
  for (const filter of [{ query: 'invoice' }, { q: 'invoice' }, { after: 'today' }]) {
    const fault = refusal({ action: 'list', ...filter })
    assert.equal(fault.code, 'argument_not_allowed')
    assert.match(fault.public, /search does/)
  }
})

test('a folder to list is a folder to search', () => {
  const { input, notes } = parse({ action: 'search', folder: 'Spam' })
  assert.deepEqual(input['include_folders'], ['Spam'])
  assert.match(notes.join(), /folder was read as include_folders/)
})

test('check 31: asking a read to set flags says that reading never does, and where it is done', () => {
  const fault = refusal({ action: 'read', message_id: 'm_1', mark_as_read: true })
  assert.equal(fault.code, 'unknown_argument')
  assert.match(fault.public, /email_organize `flag`/)
})

test('no repair is silent: spelling of a value, a list for one text, one name for another', () => {
  const told = (args: Record<string, unknown>): readonly string[] => parse(args).notes
  assert.deepEqual(told({ action: 'read', message_id: 'm_1', links: 'FULL' }), ['links was read as full.'])
  assert.deepEqual(told({ action: 'search', from: ['amy'] }), ['from was read as a string.'])
  assert.deepEqual(told({ action: 'read', message_ids: ['m_1'] }), ['message_ids was read as message_id.'])
  assert.deepEqual(told({ action: 'Search' }), ['action was read as "search".'])
})

test('action given twice must agree', () => {
  assert.equal(refusal({ action: 'search', Action: 'list' }).code, 'conflicting_arguments')
  assert.deepEqual(parse({ action: 'search', Action: 'search' }).notes, [])
})

test('an action that is another word, not a misspelt one, gets no suggestion', () => {
  assert.doesNotMatch(refusal({ action: 'send' }).public, /Did you mean/)
  assert.match(refusal({ action: 'serch' }).public, /Did you mean "search"/)
})

test('a key of one inbox is not told of the inbox parameters', () => {
  const valid = (isBound: boolean): unknown => {
    try {
      parseArgs(
        tool,
        { action: 'read', nonsense: 1 },
        { allow: () => undefined, note: () => undefined, isBound },
      )
    } catch (error) {
      return error instanceof Fault ? error.details['valid'] : error
    }
    return null
  }
  assert.deepEqual(valid(true), ['message_id', 'links', 'include_html'])
  assert.deepEqual(valid(false), ['message_id', 'links', 'include_html', 'inbox_id', 'inbox'])
})

test('of a value that is too long its length is told, not the value', () => {
  assert.match(
    refusal({ action: 'read_batch', message_ids: Array.from({ length: 51 }, (_, n) => `m_${n}`) }).public,
    /1 to 50 strings of 1 to 512 characters; an array of 51 was given/,
  )
  assert.match(refusal({ action: 'search', query: 'x'.repeat(1_001) }).public, /a string of 1001 characters/)
})

test('null is an argument left out, without a note', () => {
  const { input, notes } = parse({ action: 'search', from: null, limit: null })
  assert.equal(input['limit'], 20)
  assert.deepEqual(notes, [])
})

test('a missing argument is named with a call that would work', () => {
  const fault = refusal({ action: 'read' })
  assert.equal(fault.code, 'missing_argument')
  assert.match(fault.public, /"message_id".*\{"action":"read","message_id":"m_\.\.\."\}$/)
})

test('folder and unread stand for the name that the action takes', () => {
  const { input } = parse({ action: 'list', folder_id: 'Bills', unread: true })
  assert.deepEqual(input, { folder: 'Bills', unread_only: true, limit: 20 })
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
  const context = { allow: deny, note: () => undefined, isBound: false }
  assert.throws(() => parseArgs(tool, { action: 'search', querry: 'x' }, context), denied)
  assert.throws(() => parseArgs(tool, { action: 'nonsense' }, context), { code: 'invalid_arguments' })
})

test('a value of the wrong type is refused with the accepted range and the value given', () => {
  const fault = refusal({ action: 'search', limit: { $gt: 1 } })
  assert.equal(fault.code, 'invalid_arguments')
  assert.match(fault.public, /"limit" must be an integer from 1 to 100/)
})
