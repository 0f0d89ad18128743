import { createToolBench, errorOf, type ToolBench } from '@postern/fixtures'
import assert from 'node:assert/strict'
import { test } from 'node:test'

const ask = async (bench: ToolBench, args: Record<string, unknown>): Promise<string> => {
  const result = await bench.call('search_contacts', args)
  assert.equal(result.isError, undefined)
  assert.equal('structuredContent' in result, false)
  return result.content[0]?.text ?? ''
}

function benchWith(count: number): ToolBench {
  const bench = createToolBench()
  const inboxId = bench.inboxes[0]?.record.inboxId ?? ''
  const one = { kind: 'message', direction: 'in', inboxId, locator: new Uint8Array(20) } as const
  for (let n = 0; n < count; n++)
    bench.people.add(
      {
        name: `Kim ${n}`,
        inboxIds: [inboxId],
        messageCount: 4_711,
        note: 'tall',
        phones: [{ handle: 'p0', number: '+39 1', label: null }],
        interactions: Array.from({ length: 5 }, () => ({ ...one, at: bench.now })),
      },
      [
        { spelling: `kim${n}@acme.example` },
        ...(n === 0 ? [{ spelling: 'relay@platform.example', isExcluded: true }] : []),
      ],
    )
  return bench
}

test('check 195: whitespace is an error that begins with its known words, and no match a success that does', async () => {
  const bench = createToolBench()
  const result = await bench.call('search_contacts', { query: ' \t ' })
  assert.equal(result.isError, true)
  assert.match(result.content[0]?.text ?? '', /^query must not be empty\./)
  assert.equal(errorOf(result)['error_code'], 'invalid_arguments')
  const text = await ask(bench, { query: 'zed' })
  assert.ok(text.startsWith('No contact matched "zed" in the collected address book'))
  assert.match(text, /Part of the address, or the organisation.*relay/)
})

test('check 197: neither format has a count, and concise at most three lines a person', async () => {
  const bench = benchWith(1)
  for (const format of ['concise', 'detailed'])
    assert.doesNotMatch(await ask(bench, { query: 'kim', format }), /4,?711/)
  const lines = (await ask(bench, { query: 'kim' })).split('\n').filter((line) => line.startsWith('- '))
  assert.equal(lines.length, 3)
})

test('check 198: concise has the id of each person; phones by handle and the note are of detailed alone', async () => {
  const bench = benchWith(1)
  const concise = await ask(bench, { query: 'kim' })
  assert.match(concise, /^Kim 0 \[c_1\]\nkim0@acme\.example\naddress_confidence: low\nrelationship: none$/m)
  assert.doesNotMatch(concise, /\[p0\]|tall/)
  assert.match(await ask(bench, { query: 'kim', format: 'detailed' }), /\[p0\] \+39 1[^]*note: tall/)
})

test('check 202: relays of those shown and more people than the limit each have a footer, and only then', async () => {
  const bench = benchWith(3)
  const all = await ask(bench, { query: 'kim', limit: 2 })
  assert.match(all, /3 people match and 2 are shown/)
  assert.match(all, /relay addresses are left out; format "detailed"/)
  assert.doesNotMatch(all, /at least/)
  bench.people.unread.set(bench.inboxes[0]?.record.inboxId ?? '', {})
  assert.match(await ask(bench, { query: 'kim', limit: 2 }), /at least 3 people match/)
  bench.people.unread.clear()
  const one = await ask(bench, { query: 'kim 1' })
  assert.doesNotMatch(one, /left out|people match/)
})
