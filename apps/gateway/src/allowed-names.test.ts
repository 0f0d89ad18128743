import assert from 'node:assert/strict'
import { it } from 'node:test'
import { allowedNames } from './allowed-names.ts'

const plain = { host: '127.0.0.1', port: 8025, publicUrl: null, allowedHosts: [], allowedOrigins: [] }

it('the public URL is a host with and without the port that goes without saying, and an origin', () => {
  const { hosts, origins } = allowedNames({ ...plain, publicUrl: 'https://mcp.example.com' })
  assert.ok(hosts.has('mcp.example.com') && hosts.has('mcp.example.com:443'))
  assert.ok(origins.has('https://mcp.example.com'))
  assert.ok(!hosts.has('mcp.example.com:80'))
})

it('another port of the public URL has to be said', () => {
  const { hosts } = allowedNames({ ...plain, publicUrl: 'http://box.lan:9000' })
  assert.ok(hosts.has('box.lan:9000') && !hosts.has('box.lan'))
})

it('the address listened on is a host, a wildcard is not', () => {
  assert.ok(allowedNames({ ...plain, host: '192.168.1.5' }).hosts.has('192.168.1.5:8025'))
  assert.ok(allowedNames({ ...plain, host: 'fd00::5' }).hosts.has('[fd00::5]:8025'))
  assert.equal(allowedNames({ ...plain, host: '0.0.0.0' }).hosts.size, 0)
})

it('the web clients we know may call, and no other page', () => {
  const { origins } = allowedNames(plain)
  assert.deepEqual(
    [...origins],
    ['https://claude.ai', 'https://claude.com', 'https://chatgpt.com', 'https://vscode.dev'],
  )
})
