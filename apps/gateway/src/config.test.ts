import { generateKey } from '@postern/vault'
import assert from 'node:assert/strict'
import { isAbsolute } from 'node:path'
import { describe, it } from 'node:test'
import { ConfigError, parseConfig, settings, type Environment } from './config.ts'
import { describeConfig, renderEnvExample, renderSettingsTable } from './describe-config.ts'

describe('the configuration', () => {
  it('needs nothing to be set', () => {
    const { host, port, databaseUrl, secretKeys, dataDir, rateLimits } = parseConfig({})
    assert.deepEqual(
      { host, port, databaseUrl, secretKeys },
      { host: '127.0.0.1', port: 8025, databaseUrl: null, secretKeys: null },
    )
    assert.ok(isAbsolute(dataDir))
    assert.deepEqual(rateLimits, { minute: 100, hour: 1_000, day: 10_000, tenantMinute: null })
  })

  it('takes an empty value as absent, as compose files leave them', () => {
    assert.deepEqual(parseConfig({ POSTERN_PORT: '', DATABASE_URL: '' }), parseConfig({}))
  })

  it('check 21: names every problem at once', () => {
    const problems = problemsOf({
      POSTERN_PORT: '80250',
      POSTERN_LOG_LEVEL: 'loud',
      POSTERN_PUBLIC_URL: 'mcp.example.com',
      POSTERN_PROT: '1',
      DATABASE_URL: 'mysql://db',
    })
    const named = [
      'POSTERN_PROT',
      'DATABASE_URL',
      'POSTERN_PORT',
      'POSTERN_PUBLIC_URL',
      'POSTERN_LOG_LEVEL',
      'POSTERN_SECRET_KEYS',
    ]
    assert.deepEqual(
      problems.map((problem) => problem.split(' ')[0]),
      named,
    )
  })

  it('check 21: repeats no value, since it may be a secret', () => {
    const value = 'hunter2'
    const environment = Object.fromEntries(Object.keys(settings.shape).map((name) => [name, value]))
    const problems = problemsOf({ ...environment, POSTERN_UNKNOWN: value })
    assert.ok(problems.length > 10)
    assert.doesNotMatch(problems.join('\n'), /hunter2/)
  })

  it('check 21: an unknown name is an error with the nearest one, and a name of another part is not', () => {
    assert.match(
      problemsOf({ POSTERN_HOSTS: 'x' }).join(),
      /POSTERN_HOSTS is no setting; the nearest is POSTERN_HOST$/,
    )
    assert.doesNotThrow(() => parseConfig({ POSTERN_KEY: 'x', PATH: '/bin' }, ['POSTERN_KEY']))
  })

  for (const port of ['-1', '1.5', '0x50', '1e3', ' 80', '65536', '99999999999999999999']) {
    it(`"${port}" is no port`, () => {
      assert.equal(problemsOf({ POSTERN_PORT: port }).length, 1)
    })
  }

  for (const url of [
    'mcp.example.com',
    'ftp://mcp.example.com',
    'https://mcp.example.com/mcp',
    'https://u:p@mcp.example.com',
    'https://mcp.example.com?x=1',
  ]) {
    it(`"${url}" is no public URL`, () => {
      assert.equal(problemsOf({ POSTERN_PUBLIC_URL: url }).length, 1)
    })
  }

  it('the public URL becomes an origin', () => {
    assert.equal(
      parseConfig({ POSTERN_PUBLIC_URL: 'HTTPS://MCP.Example.com:443/' }).publicUrl,
      'https://mcp.example.com',
    )
  })

  it('lists are split at commas, and every entry is checked', () => {
    const { allowedHosts, allowedOrigins } = parseConfig({
      POSTERN_ALLOWED_HOSTS: 'A.example, b.example:8443,[::1]:80',
      POSTERN_ALLOWED_ORIGINS: 'https://a.example,https://b.example:8443/',
    })
    assert.deepEqual(allowedHosts, ['a.example', 'b.example:8443', '[::1]:80'])
    assert.deepEqual(allowedOrigins, ['https://a.example', 'https://b.example:8443'])
    assert.equal(problemsOf({ POSTERN_ALLOWED_HOSTS: 'a.example,https://b.example' }).length, 1)
    assert.equal(problemsOf({ POSTERN_ALLOWED_ORIGINS: 'https://a.example,b.example' }).length, 1)
  })

  it('a database of your own needs keys of your own', () => {
    const database: Environment = { DATABASE_URL: 'postgres://owner@db.example/postern' }
    assert.match(problemsOf(database).join(), /^POSTERN_SECRET_KEYS is missing/)
    assert.doesNotThrow(() => parseConfig({ ...database, POSTERN_SECRET_KEYS: generateKey() }))
  })

  it('a bad key is named by its position', () => {
    assert.match(
      problemsOf({ POSTERN_SECRET_KEYS: `${generateKey()},k2:short` }).join(),
      /key 2 \(k2\) is not 32 octets/,
    )
  })
})

describe('the documents made from the configuration', () => {
  it('describe every setting, with its default as it would be written', () => {
    for (const { name, description, form, default: fallback } of describeConfig()) {
      assert.ok(description.endsWith('.') && form !== '', name)
      if (fallback !== null) assert.deepEqual(parseConfig({ [name]: fallback }), parseConfig({}), name)
    }
  })

  it('say which settings are secret', () => {
    const secrets = describeConfig().filter(({ isSecret }) => isSecret)
    assert.deepEqual(
      secrets.map(({ name }) => name),
      ['DATABASE_URL', 'POSTERN_SECRET_KEYS'],
    )
  })

  it('have one entry per setting', () => {
    for (const name of Object.keys(settings.shape)) {
      assert.match(renderEnvExample(), new RegExp(`^# ${name}=`, 'm'))
      assert.match(renderSettingsTable(), new RegExp(`^\\| \`${name}\` \\|`, 'm'))
    }
  })
})

function problemsOf(environment: Environment): readonly string[] {
  try {
    parseConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
  return assert.fail('the configuration was accepted')
}
