import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from '@postern/gateway/start'
import { endpointOf, parseCliConfig } from './config.ts'

test('settings of the command line are no unknown settings of the service', () => {
  const config = parseCliConfig({
    POSTERN_URL: 'http://h.example:8025/mcp',
    POSTERN_KEY: 'k',
    POSTERN_IMAP_PASSWORD: '',
  })
  assert.equal(config.url?.href, 'http://h.example:8025/mcp')
  assert.equal(config.key, 'k')
  assert.equal(config.imapPassword, null)
})

test('a URL that is none is named without its value', () => {
  assert.throws(
    () => parseCliConfig({ POSTERN_URL: 'ftp://secret.example' }),
    (error) =>
      error instanceof ConfigError && /POSTERN_URL/.test(error.message) && !/secret/.test(error.message),
  )
})

for (const [environment, expected] of [
  [{}, 'http://127.0.0.1:8025/mcp'],
  [{ POSTERN_HOST: '0.0.0.0', POSTERN_PORT: '80' }, 'http://127.0.0.1/mcp'],
  [{ POSTERN_HOST: '::' }, 'http://[::1]:8025/mcp'],
  [{ POSTERN_PUBLIC_URL: 'https://mcp.firm.example' }, 'https://mcp.firm.example/mcp'],
] as const) {
  test(`the service is reached at ${expected}`, () => {
    assert.equal(endpointOf(parseCliConfig(environment).service).href, expected)
  })
}
