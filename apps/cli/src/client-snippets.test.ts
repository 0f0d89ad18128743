import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientSnippets } from './client-snippets.ts'

const snippets = clientSnippets('http://127.0.0.1:8025/mcp', 'pst_live_x')
const textOf = (client: string): string => snippets.find((one) => one.client === client)?.text ?? ''

test('every client gets the URL and the key', () => {
  for (const { text } of snippets) {
    assert.match(text, /http:\/\/127\.0\.0\.1:8025\/mcp/)
    assert.match(text, /pst_live_x/)
  }
})

test('the files of Cursor and VS Code are JSON in the shape that each reads', () => {
  const headers = { Authorization: 'Bearer pst_live_x' }
  const url = 'http://127.0.0.1:8025/mcp'
  assert.deepEqual(JSON.parse(textOf('Cursor')), { mcpServers: { postern: { url, headers } } })
  assert.deepEqual(JSON.parse(textOf('VS Code')), { servers: { postern: { type: 'http', url, headers } } })
})

test('the command of Claude Code is one line for the shell', () => {
  assert.match(
    textOf('Claude Code').replace('\\\n', ''),
    /^claude mcp add --transport http postern \S+ +--header "[^"]+"$/,
  )
})
