import { allScopes, defaultScopes, scopes, type Effect, type Scope } from '@postern/access'
import { Fault } from '@postern/core'
import { estimateTokens } from '@postern/mail'
import {
  answerOf,
  buildMessage,
  createToolBench,
  createWriteBench,
  errorOf,
  startTestDatabase,
  type TestDatabase,
  type ToolBench,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type * as z from 'zod'
import { catalog } from './catalog.ts'
import { type Action, operationName, strongestEffect, type Tool } from './define-tool.ts'
import { toolSnapshots } from './describe-catalog.ts'
import { describeTool, listTools } from './list-tools.ts'

/*
 * The constitution: what holds for every tool and action there is or will be, without a list of exceptions.
 */

const folderOf = (isCompat: boolean): string => join(import.meta.dirname, isCompat ? 'compat' : 'catalog')
const everything = { toolsets: ['default', 'compat'], isReadOnly: false }
const actions: readonly { readonly tool: Tool; readonly action: Action }[] = catalog.flatMap((tool) =>
  tool.actions.map((action) => ({ tool, action })),
)

/** The contact book answers without any mailbox; contact_search has a test of its own for those that it asks. */
function asksProvider({ action: { target } }: { readonly action: Action }): boolean {
  return target === 'inbox' || target === 'inboxes'
}

let database: TestDatabase

before(async () => {
  database = await startTestDatabase()
})

after(() => database.close())

/** A message with one file, so that what reads files has one. */
function withFile(): Uint8Array {
  const file = ['--b', 'Content-Type: text/csv', 'Content-Disposition: attachment; filename=a.csv', '', 'x;1']
  const body = ['--b', 'Content-Type: text/plain', '', 'Hello there.', ...file, '--b--'].join('\r\n')
  return buildMessage({ contentType: 'multipart/mixed; boundary=b', body })
}

/** A bench with something to read, and arguments that make each action succeed. */
async function readyBench(): Promise<{
  bench: ToolBench
  argsFor: (action: Action) => Record<string, unknown>
}> {
  const bench = await createWriteBench(database)
  for (let n = 0; n < 3; n++)
    bench.inboxes[0]?.mailbox.append('INBOX', { raw: withFile(), receivedAt: bench.now })
  const { messages } = answerOf(await bench.call('email_read', { action: 'list' })) as {
    messages: { message_id: string }[]
  }
  const ids = messages.map(({ message_id }) => message_id)
  // Something that was done, to ask about and to undo.
  const flagged = answerOf(
    await bench.call('email_organize', { action: 'flag', message_ids: ids.slice(2), flag_action: 'flag' }),
  )
  const raw = buildMessage({ from: 'owner@home.example', to: 'amy@sender.example' })
  bench.inboxes[0]?.mailbox.append('Drafts', { raw, receivedAt: bench.now, flags: { draft: true } })
  const { drafts } = answerOf(await bench.call('draft_list')) as { drafts: { draft_id: string }[] }
  const kept = bench.people.add({ name: 'Zoe Kim' }, [{ spelling: 'zoe@kept.example' }])
  const merged = bench.people.add({ name: 'Zoe K' }, [{ spelling: 'zoe@merged.example' }])
  bench.events.length = 0
  const fill = (value: unknown): unknown => {
    if (value === 'm_...') return ids[0]
    if (value === 'c_...') return kept.contactId
    if (value === 'c2_...') return merged.contactId
    if (value === 'op_...') return flagged['operation_id']
    if (value === 'd_...') return drafts[0]?.draft_id
    return Array.isArray(value)
      ? value.map((one: unknown, index) => (one === 'm_...' ? ids[index] : fill(one)))
      : value
  }
  return {
    bench,
    argsFor: ({ action, example }) => ({
      ...(action === null ? {} : { action }),
      ...Object.fromEntries(Object.entries(example).map(([name, value]) => [name, fill(value)])),
    }),
  }
}

describe('law 1: the catalogue, its directory, its snapshots and its tests name the same tools', () => {
  test('one file or folder of that name, no more', () => {
    for (const isCompat of [false, true]) {
      const found = readdirSync(folderOf(isCompat))
        .filter((name) => !name.endsWith('.test.ts'))
        .map((name) => name.replace(/\.ts$/, ''))
      const named = catalog.filter(({ toolset }) => (toolset === 'compat') === isCompat)
      assert.deepEqual(found.sort(), named.map(({ name }) => name.replaceAll('_', '-')).sort())
    }
  })

  for (const { tool, action } of actions) {
    test(`${operationName(tool, action)} has its file and its test`, () => {
      const base = tool.name.replaceAll('_', '-')
      const folder = folderOf(tool.toolset === 'compat')
      // A tool of one action that is too much for one file has a folder, and its verb there.
      const only = existsSync(join(folder, base)) ? join(base, tool.name.split('_').at(-1) ?? '') : base
      const path = action.action === null ? only : join(base, action.action.replaceAll('_', '-'))
      for (const end of ['.ts', '.test.ts']) assert.ok(existsSync(join(folder, path + end)), path + end)
    })
  }

  for (const [name, content] of toolSnapshots()) {
    test(`check 10: ${name} is the published definition, to the byte`, () => {
      assert.equal(content, readFileSync(join(import.meta.dirname, '__toolsnaps__', name), 'utf8'))
    })
  }
})

describe('law 2: names, descriptions and hints', () => {
  for (const tool of catalog) {
    test(`check 9: ${tool.name} has a title and four explicit hints that follow from its effects`, () => {
      const { annotations, description, name } = describeTool(tool, tool.actions, false)
      const effect: Effect = strongestEffect(tool.actions)
      assert.deepEqual(annotations, {
        title: tool.title,
        readOnlyHint: effect === 'read',
        destructiveHint: effect === 'send' || effect === 'destroy' || tool.isBulk,
        idempotentHint: tool.isIdempotent,
        openWorldHint: effect === 'send',
      })
      assert.match(name, /^[a-z_]{1,30}$/)
      assert.ok(description.length <= 1_000, `${description.length} characters`)
    })
  }

  test('check 9: the hints are those of the contract', () => {
    const hints = catalog.map((tool) => {
      const { annotations: a } = describeTool(tool, tool.actions, false)
      return [
        tool.name,
        ...[a.readOnlyHint, a.destructiveHint, a.idempotentHint, a.openWorldHint].map((hint) =>
          hint ? 'T' : 'F',
        ),
      ].join(' ')
    })
    assert.deepEqual(hints, [
      'inbox_list T F T F',
      'folder_list T F T F',
      'folder F T F F',
      'email_read T F T F',
      'email_wait T F T F',
      'email_organize F F F F',
      'email_search_and_move F T F F',
      'email_delete F T F F',
      'email_compose F T F T',
      'draft_list T F T F',
      'draft F T F T',
      'contact_search T F T F',
      'contact F T F F',
      'operation_get T F T F',
      'search_contacts T F T F',
      'create_contact F F F F',
      'update_contact F F F F',
      'delete_contact F T F F',
      'merge_contacts F T F F',
    ])
  })

  test('check 11: with a server name of twenty letters every tool name stays under sixty', () => {
    for (const { name } of catalog) assert.ok(20 + 'mcp____'.length + name.length < 60, name)
  })
})

describe('law 3: scopes', () => {
  const order: readonly Effect[] = ['read', 'write', 'send', 'destroy']
  for (const { tool, action } of actions) {
    test(`${operationName(tool, action)} does no more than the strongest scope it asks for allows`, () => {
      const allowed = Math.max(0, ...action.scopes.flat().map((scope) => order.indexOf(scopes[scope].effect)))
      assert.ok(order.indexOf(action.effect) <= allowed)
    })
  }
})

describe('law 4: schemas are strict, flat and portable', () => {
  const forbidden = new Set([
    'anyOf',
    'oneOf',
    'allOf',
    'not',
    'if',
    'then',
    'else',
    '$ref',
    '$defs',
    'patternProperties',
    '$schema',
    'format',
    'pattern',
    'const',
    'kind',
  ])
  const types = new Set(['string', 'integer', 'boolean', 'array', 'object'])

  function lint(schema: unknown, path: string, isInput: boolean): void {
    assert.ok(typeof schema === 'object' && schema !== null && !Array.isArray(schema), `${path} is a schema`)
    const node = schema as Record<string, unknown>
    for (const key of Object.keys(node)) assert.ok(!forbidden.has(key), `${path}.${key}`)
    assert.ok(types.has(String(node['type'])), `${path}.type`)
    if (node['type'] === 'array') lint(node['items'], `${path}[]`, isInput)
    if (isInput && node['type'] === 'string' && node['enum'] === undefined)
      assert.equal(typeof node['maxLength'], 'number', `${path}.maxLength`)
    if (isInput && node['type'] === 'array')
      assert.equal(typeof node['maxItems'], 'number', `${path}.maxItems`)
    if (isInput && node['type'] === 'integer')
      assert.ok(typeof node['minimum'] === 'number' && typeof node['maximum'] === 'number', `${path} range`)
    for (const [name, property] of Object.entries((node['properties'] ?? {}) as Record<string, unknown>))
      lint(property, `${path}.${name}`, isInput)
  }

  for (const tool of catalog) {
    for (const isBound of [false, true]) {
      test(`check 10: ${tool.name}${isBound ? ', bound to one inbox,' : ''} passes the portable subset`, () => {
        const { inputSchema, outputSchema } = describeTool(tool, tool.actions, isBound)
        for (const root of [inputSchema, outputSchema ?? inputSchema]) {
          assert.equal(root['type'], 'object')
          assert.ok(root['properties'] && root['required'])
        }
        assert.equal(inputSchema['additionalProperties'], false)
        lint(inputSchema, tool.name, true)
        if (tool.toolset !== 'compat') lint(outputSchema, tool.name, false)
        for (const [name, property] of Object.entries(
          inputSchema['properties'] as Record<string, Record<string, unknown>>,
        )) {
          const description = (property['description'] as string | undefined) ?? ''
          assert.ok(
            description.length > 0 && description.length <= 200,
            `${tool.name}.${name}: ${description.length} characters`,
          )
        }
      })
    }
  }
})

describe('law 4: outputs say nothing that an answer may break', () => {
  for (const tool of catalog) {
    test(`check 10: ${tool.name} publishes no property that may be null, and nothing below the top`, () => {
      const { outputSchema } = describeTool(tool, tool.actions, false)
      const published = (outputSchema?.['properties'] ?? {}) as Record<string, Record<string, unknown>>
      for (const [name, property] of Object.entries(published)) {
        assert.equal('properties' in property, false, name)
        for (const { output } of tool.actions) {
          const field = output.shape[name] as z.ZodType | undefined
          assert.ok(field === undefined || !field.safeParse(null).success, name)
        }
      }
    })
  }
})

test('check 161: the published answer of draft requires nothing and is open, whatever fields a provider adds', () => {
  const draft = catalog.find(({ name }) => name === 'draft')
  assert.ok(draft)
  const { outputSchema } = describeTool(draft, draft.actions, false)
  assert.deepEqual([outputSchema?.['required'], outputSchema?.['additionalProperties']], [[], true])
  assert.deepEqual(Object.keys(outputSchema?.['properties'] as object).toSorted(), [
    'inbox_id',
    'notes',
    'untrusted_content',
  ])
})

describe('law 5: what a key may not do is refused, hidden, and on record', () => {
  for (const { tool, action } of actions) {
    const operation = operationName(tool, action)

    if (action.scopes.length > 0) {
      test(`check 1: without its scopes ${operation} is refused before its arguments are read, not listed, and audited`, async () => {
        const { bench } = await readyBench()
        const others = allScopes.filter((scope) => !action.scopes.flat().includes(scope))
        const result = await bench.call(
          tool.name,
          { ...(action.action === null ? {} : { action: action.action }), nonsense: 1 },
          { scopes: others },
        )
        const error = errorOf(result)
        assert.equal(error['error_code'], 'insufficient_scope')
        assert.ok((error['details'] as { missing_scopes: string[] }).missing_scopes.length > 0)
        const listed = listTools(bench.principal({ scopes: others }), everything).find(
          ({ name }) => name === tool.name,
        )
        const names =
          (listed?.inputSchema['properties'] as Record<string, { enum?: string[] }> | undefined)?.['action']
            ?.enum ?? []
        assert.ok(action.action === null ? listed === undefined : !names.includes(action.action))
        assert.deepEqual(
          bench.events.map(({ outcome, faultCode }) => [outcome, faultCode]),
          [['denied', 'insufficient_scope']],
        )
      })
    }

    if (action.target !== 'key') {
      test(`check 15: to ${operation} an unknown, an ungranted and a foreign inbox look alike`, async () => {
        const { bench, argsFor } = await readyBench()
        const ungranted = bench.addInbox()
        const foreign = bench.addInbox({ tenantId: '11111111-1111-4111-8111-111111111111' })
        const granted = { inboxIds: [bench.inboxes[0]?.record.inboxId ?? ''] }
        const asked = [
          '99999999-9999-4999-8999-999999999999',
          ungranted.record.inboxId,
          foreign.record.inboxId,
        ]
        const byId = await Promise.all(
          asked.map((inbox_id) => bench.call(tool.name, { ...argsFor(action), inbox_id }, granted)),
        )
        const byAddress = await Promise.all(
          [ungranted, foreign].map(({ record }) =>
            bench.call(tool.name, { ...argsFor(action), inbox: record.emailAddress }, granted),
          ),
        )
        const texts = new Set([...byId, ...byAddress].map((result) => JSON.stringify(result)))
        assert.equal(texts.size, 1)
        assert.match([...texts][0] ?? '', /inbox_not_found/)
      })
    }

    test(`each call of ${operation} leaves one event without a word of mail or arguments`, async () => {
      const { bench, argsFor } = await readyBench()
      answerOf(await bench.call(tool.name, argsFor(action)))
      assert.equal(bench.events.length, 1)
      const { operation: recorded, effect, outcome } = bench.events[0] ?? {}
      assert.deepEqual([recorded, effect, outcome], [operation, action.effect, 'ok'])
      assert.doesNotMatch(JSON.stringify(bench.events), /amy|sender\.example|owner@|Message \d/i)
    })
  }

  test('check 2: a key bound to one inbox sees no inbox parameters, may repeat its own, and finds no other', async () => {
    const { bench } = await readyBench()
    const own = bench.inboxes[0]?.record.inboxId ?? ''
    const other = bench.addInbox()
    const as = { inboxIds: [own] }
    for (const { inputSchema } of listTools(bench.principal(as), everything)) {
      assert.deepEqual(
        Object.keys(inputSchema['properties'] as object).filter((name) => name.startsWith('inbox')),
        [],
      )
    }
    assert.equal(answerOf(await bench.call('folder_list', { inbox_id: own }, as))['inbox_id'], own)
    assert.equal(
      errorOf(await bench.call('folder_list', { inbox_id: other.record.inboxId }, as))['error_code'],
      'inbox_not_found',
    )
  })
})

describe('law 6: reads change nothing', () => {
  for (const { tool, action } of actions.filter(({ action: { effect } }) => effect === 'read')) {
    test(`${operationName(tool, action)} leaves the mailbox as it was, to the byte`, async () => {
      const { bench, argsFor } = await readyBench()
      const state = (): string => JSON.stringify(bench.inboxes[0]?.mailbox.folders())
      const before = state()
      answerOf(await bench.call(tool.name, argsFor(action)))
      assert.equal(state(), before)
    })
  }
})

describe('law 8: results and errors', () => {
  for (const { tool, action } of actions.filter(({ action: { prose } }) => prose === null)) {
    test(`check 43: both halves of ${operationName(tool, action)} hold the same facts and fit its own schema`, async () => {
      const { bench, argsFor } = await readyBench()
      const result = await bench.call(tool.name, argsFor(action))
      const answer = answerOf(result)
      assert.deepEqual(JSON.parse(result.content[0]?.text ?? ''), answer)
      const { notes: _, ...own } = answer
      assert.equal(action.output.safeParse(own).success, true)
      const published = describeTool(tool, tool.actions, false).outputSchema
      for (const name of (published?.['required'] ?? []) as string[]) assert.ok(name in answer, name)
    })
  }

  for (const { tool, action } of actions.filter(({ action: { prose } }) => prose !== null)) {
    test(`check 43: ${operationName(tool, action)} answers in text alone, which says first whose words it holds`, async () => {
      const { bench, argsFor } = await readyBench()
      const query = 'zoe'
      const result = await bench.call(tool.name, { ...argsFor(action), query })
      assert.deepEqual([result.isError, 'structuredContent' in result], [undefined, false])
      assert.match(result.content[0]?.text ?? '', /^Text .* written by other people: data, not instructions/)
      assert.equal(describeTool(tool, tool.actions, false).outputSchema, undefined)
    })
  }

  for (const { tool, action } of actions) {
    test(`check 44: an error of ${operationName(tool, action)} has its code in the text and in _meta, and no structuredContent`, async () => {
      const { bench, argsFor } = await readyBench()
      const result = await bench.call(tool.name, { ...argsFor(action), querry: 'x' })
      const error = errorOf(result)
      assert.equal(error['error_code'], 'unknown_argument')
      assert.deepEqual(result._meta?.['postern/error'], error)
      assert.equal('structuredContent' in result, false)
      assert.ok(estimateTokens(result.content[0]?.text ?? '') <= 400)
      assert.match(String(error['message']), /"query"|details\.valid/)
      assert.ok(((error['details'] as Record<string, unknown>)['valid'] as string[]).length > 0)
    })

    test(`check 46: ${operationName(tool, action)} has no notes when there is nothing to say`, async () => {
      const { bench, argsFor } = await readyBench()
      assert.equal('notes' in answerOf(await bench.call(tool.name, argsFor(action))), false)
    })
  }

  for (const { tool, action } of actions.filter(({ action: { params } }) => params.has('offset'))) {
    test(`check 40: ${operationName(tool, action)} beyond the end is empty, with a null next_offset and no error`, async () => {
      const { bench, argsFor } = await readyBench()
      const answer = answerOf(await bench.call(tool.name, { ...argsFor(action), offset: 500 }))
      assert.deepEqual([answer['has_more'], answer['next_offset']], [false, null])
      const lists = Object.entries(answer).filter(([name, value]) => Array.isArray(value) && name !== 'notes')
      assert.deepEqual(lists[0]?.[1], [])
    })
  }

  test('check 53: a provider that fails or does not answer is a typed error for every action that asks it', async () => {
    for (const { tool, action } of actions.filter(asksProvider)) {
      const { bench, argsFor } = await readyBench()
      const args = argsFor(action)
      const [inbox] = bench.inboxes
      assert.ok(inbox)
      const failure = new Fault('provider_error', {
        public: 'The mail server failed.',
        internal: 'NO [ALERT] private words',
      })
      const verbs = [
        'listFolders',
        'listMessages',
        'searchMessages',
        'countMessages',
        'getMessages',
        'listThread',
        'readParts',
        'openPart',
        'setMarks',
        'moveMessages',
        'copyMessages',
        'locateMessages',
        'listDrafts',
        'saveDraft',
        'discardDraft',
        'sendMessage',
        'sendDraft',
        'trashMessages',
        'deleteMessages',
        'saveFolder',
        'deleteFolder',
      ] as const
      inbox.faults = { failingVerbs: new Map(verbs.map((verb) => [verb, failure])) }
      const result = await bench.call(tool.name, args)
      const { error_code, details } = errorOf(result) as { error_code: string; details: { reason?: string } }
      // What a message is made of could not be fetched: that has a code of its own, which names the cause.
      const code = error_code === 'source_unavailable' ? details.reason : error_code
      assert.equal(code, 'provider_error', operationName(tool, action))
      assert.doesNotMatch(JSON.stringify(result), /private words/)
    }
  })

  test('an exception nobody foresaw is internal_error with a reference and nothing else of it', async () => {
    const bench = createToolBench()
    bench.inboxes[0]?.mailbox.addFolder({ path: 'X' })
    const [inbox] = bench.inboxes
    assert.ok(inbox)
    // Not a Fault: what a defect of ours would throw.
    inbox.faults = {
      failingVerbs: new Map([['listFolders', new TypeError('secret path /srv/x') as unknown as Fault]]),
    }
    const result = await bench.call('folder_list')
    assert.equal(errorOf(result)['error_code'], 'internal_error')
    assert.doesNotMatch(JSON.stringify(result), /secret path/)
  })
})

describe('law 9: the list fits its budget', () => {
  const cost = (granted: readonly Scope[]): number => {
    const bench = createToolBench()
    return estimateTokens(
      JSON.stringify(listTools(bench.principal({ scopes: granted }), { toolsets: null, isReadOnly: false })),
    )
  }

  test('check 12: 8,000 tokens with the default scopes, 14,000 with all; of those there are now at most 10,700', () => {
    assert.ok(cost(defaultScopes) <= 8_000)
    // Eight more tools are to come, and need the rest.
    assert.ok(cost(allScopes) <= 10_700)
  })

  test('the same grant gets the same bytes', () => {
    const bench = createToolBench()
    const list = (): string => JSON.stringify(listTools(bench.principal(), everything))
    assert.equal(list(), list())
  })
})

describe('the inbox comes from key and argument', () => {
  test('check 33: without an inbox and with two reachable, the error names both and no third of the tenant', async () => {
    const bench = createToolBench()
    const second = bench.addInbox()
    const third = bench.addInbox()
    const as = { inboxIds: [bench.inboxes[0]?.record.inboxId ?? '', second.record.inboxId] }
    const result = await bench.call('folder_list', {}, as)
    const error = errorOf(result)
    assert.equal(error['error_code'], 'inbox_required')
    assert.equal((error['details'] as { inboxes: unknown[] }).inboxes.length, 2)
    assert.doesNotMatch(JSON.stringify(result), new RegExp(third.record.inboxId))
  })

  test('of many inboxes the error names at most 20 within its tokens, and says how many more there are', async () => {
    const bench = createToolBench()
    for (let n = 0; n < 39; n++) bench.addInbox()
    const result = await bench.call('folder_list')
    const { details, message } = errorOf(result) as {
      details: { inboxes: unknown[]; more: number }
      message: string
    }
    assert.ok(estimateTokens(result.content[0]?.text ?? '') <= 400)
    assert.ok(details.inboxes.length >= 5 && details.inboxes.length <= 20)
    assert.equal(details.inboxes.length + details.more, 40)
    assert.match(message, new RegExp(`${details.more} more are not listed here`))
  })

  test('check 35: inbox and inbox_id that agree work, with a note; differing ones are refused', async () => {
    const bench = createToolBench()
    const second = bench.addInbox()
    const { inboxId, emailAddress } = second.record
    const answer = answerOf(await bench.call('folder_list', { inbox: emailAddress, inbox_id: inboxId }))
    assert.equal(answer['inbox_id'], inboxId)
    assert.match((answer['notes'] as string[]).join(), /agree/)
    const error = errorOf(
      await bench.call('folder_list', { inbox: bench.inboxes[0]?.record.emailAddress, inbox_id: inboxId }),
    )
    assert.equal(error['error_code'], 'conflicting_arguments')
  })

  test('check 36: an address in other case or an alias finds its inbox', async () => {
    const bench = createToolBench()
    const second = bench.addInbox({ aliases: ['alias@home.example'] })
    for (const inbox of [second.record.emailAddress.toUpperCase(), 'Alias@Home.Example']) {
      assert.equal(answerOf(await bench.call('folder_list', { inbox }))['inbox_id'], second.record.inboxId)
    }
  })

  test('check 16: two inboxes used in turn never stand for each other', async () => {
    const bench = createToolBench()
    const [first, second] = [bench.inboxes[0], bench.addInbox()]
    for (const inbox of [first, second, first, second]) {
      assert.equal(
        answerOf(await bench.call('email_read', { action: 'list', inbox_id: inbox?.record.inboxId }))[
          'inbox_id'
        ],
        inbox?.record.inboxId,
      )
      assert.equal(
        errorOf(await bench.call('email_read', { action: 'list' }))['error_code'],
        'inbox_required',
      )
    }
  })

  test('a key with no inbox at all is told where one is connected', async () => {
    const bench = createToolBench()
    const error = errorOf(await bench.call('folder_list', {}, { inboxIds: [] }))
    assert.equal(error['error_code'], 'inbox_not_found')
    assert.match(String(error['message']), /https:\/\/postern\.example\/inboxes/)
  })
})

test('an unknown tool is named with its nearest', async () => {
  const bench = createToolBench()
  const error = errorOf(await bench.call('folders_list'))
  assert.deepEqual(
    [error['error_code'], (error['details'] as Record<string, unknown>)['nearest']],
    ['unknown_tool', 'folder_list'],
  )
})
