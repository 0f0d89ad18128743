import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { HtmlTask } from './html-task.ts'
import { createParsePool, type ParsePoolOptions } from './parse-pool.ts'
import type { ParseFailure } from './thread-pool.ts'

const small: HtmlTask = { html: '<p>Hello <b>there</b></p>', links: 'hosts', wantsMarkup: true }
const large: HtmlTask = { html: '<div>x</div>'.repeat(100_000), links: 'hosts', wantsMarkup: true }

function makePool(options: Partial<ParsePoolOptions>): {
  readonly pool: ReturnType<typeof createParsePool>
  readonly failures: ParseFailure[]
} {
  const failures: ParseFailure[] = []
  const pool = createParsePool({ ...options, onFailure: (failure) => failures.push(failure) })
  after(() => pool.close())
  return { pool, failures }
}

describe('one document never stalls or ends the others', () => {
  test('tasks are answered, more of them than there are threads', async () => {
    const { pool, failures } = makePool({ size: 2 })
    const answers = await Promise.all(Array.from({ length: 6 }, () => pool.render(small)))
    for (const answer of answers) {
      assert.equal(answer?.text, 'Hello there')
      assert.equal(answer.markup, '<div><p>Hello <b>there</b></p></div>')
    }
    assert.deepEqual(failures, [])
  })

  test('one that takes too long is given up, and its thread is replaced', async () => {
    const { pool, failures } = makePool({ size: 1, timeLimitMs: 1_500 })
    assert.equal((await pool.render(small))?.text, 'Hello there')
    const endless = { ...large, html: '<b>x<p>'.repeat(1_100_000) }
    const start = performance.now()
    assert.equal(await pool.render(endless), null)
    assert.ok(performance.now() - start < 20_000)
    assert.deepEqual(failures, ['timeout'])
    assert.equal((await pool.render(small))?.text, 'Hello there')
  })

  test('one that takes too much memory ends its thread alone', async () => {
    const { pool, failures } = makePool({ size: 1, memoryLimitMiB: 16, timeLimitMs: 60_000 })
    assert.equal(await pool.render(large), null)
    assert.deepEqual(failures, ['crash'])
    assert.equal((await pool.render(small))?.text, 'Hello there')
  })

  test('a bomb is an answer, not a failure', async () => {
    const { pool, failures } = makePool({ size: 1 })
    const fonts = Array.from({ length: 300 }, (_, index) => `<font s=${index}>`).join('')
    assert.equal(await pool.render({ ...small, html: `<p>${fonts}</p>${'<p>x'.repeat(5_000)}` }), null)
    assert.deepEqual(failures, [])
  })

  test('who finds the queue full is turned away at once', async () => {
    const { pool, failures } = makePool({ size: 1, queueLimit: 1 })
    const [first, second, third] = [pool.render(small), pool.render(small), pool.render(small)]
    assert.equal(await third, null)
    assert.deepEqual(failures, ['busy'])
    assert.deepEqual([(await first)?.text, (await second)?.text], ['Hello there', 'Hello there'])
  })

  test('one owner can neither take all threads for long nor fill the queue for the others', async () => {
    // However slow the machine is, nobody is turned away for having waited.
    const patience = { timeLimitMs: 120_000, waitLimitMs: 120_000 }
    const { pool, failures } = makePool({ size: 2, queueLimit: 8, ownerLimit: 4, ...patience })
    const slow = { ...large, html: large.html.repeat(2) }
    const order: string[] = []
    const note = (who: string) => (): void => void order.push(who)
    const flood = Array.from({ length: 8 }, () => pool.of('flood').render(slow).then(note('flood')))
    const other = pool.of('other').render(small).then(note('other'))
    await Promise.all([...flood, other])
    // Two were under way and two found no place; of the four that waited none came before the other's.
    assert.deepEqual(failures, ['busy', 'busy'])
    assert.ok(order.indexOf('other') <= 4, order.join(' '))
  })

  test('who waits too long is turned away', async () => {
    const { pool, failures } = makePool({ size: 1, waitLimitMs: 5, timeLimitMs: 60_000 })
    const first = pool.render({ ...large, html: large.html.repeat(2) })
    assert.equal(await pool.render(small), null)
    assert.deepEqual(failures, ['busy'])
    assert.notEqual(await first, null)
  })

  test('closing answers what is under way and what waits', async () => {
    const { pool } = makePool({ size: 1 })
    const tasks = [pool.render(large), pool.render(small)]
    await pool.close()
    assert.deepEqual(await Promise.all(tasks), [null, null])
    assert.equal(await pool.render(small), null)
  })

  test('an idle thread ends, and the next task starts another', async () => {
    const { pool } = makePool({ size: 1, idleMs: 1 })
    for (let round = 0; round < 3; round++) {
      assert.equal((await pool.render(small))?.text, 'Hello there')
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  })
})
