import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { approvalPage } from '../src/approval-page.ts'

test('review_url leads to who decides and how, and repeats nothing but the shape of an id', async () => {
  const app = Fastify()
  approvalPage(app)
  const id = `ap_${'a1'.repeat(10)}`
  const page = await app.inject(`/approvals/${id}`)
  assert.equal(page.statusCode, 200)
  assert.match(page.body, new RegExp(`postern approvals show ${id}`))
  assert.match(String(page.headers['content-type']), /^text\/plain/)
  for (const other of ['ap_1', 'x', `ap_${'%3c'.repeat(20)}`, `${id}a`])
    assert.equal((await app.inject(`/approvals/${other}`)).statusCode, 404, other)
})
