import { keyRateLimits, tenantRatePerMinute, type Plan } from '@postern/access'
import { editDistance, Fault, type LogLevel } from '@postern/core'
import { defaultLeaseSeconds } from '@postern/store'
import { createKeyRing } from '@postern/vault'
import { resolve } from 'node:path'
import * as z from 'zod'
import type { InFlightLimits } from './in-flight.ts'
import type { MetricsAccess } from './plugins/metrics-door.ts'
import type { RateLimits } from './plugins/rate-limit.ts'
import {
  choice,
  flag,
  list,
  optionalNumber,
  optionalText,
  settingFacts,
  text,
  wholeNumber,
} from './setting.ts'

/** How this process was told to run. Parsed once and passed on as a value. */
export interface GatewayConfig {
  /** Absolute. */
  readonly dataDir: string
  readonly host: string
  readonly port: number
  /** Null: the embedded database in `dataDir`. */
  readonly databaseUrl: string | null
  /** Null: the key file in `dataDir`, made on the first start. */
  readonly secretKeys: string | null
  /** Origin under which clients reach the service; null: the address listened on. */
  readonly publicUrl: string | null
  /** Lower-case, each with its port unless that is the usual one. */
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly allowsPrivateHosts: boolean
  /** Absolute path of a PEM file. */
  readonly extraCaFile: string | null
  readonly logLevel: LogLevel
  readonly metricsAccess: MetricsAccess
  /** Of tenants made from now on. */
  readonly plan: Plan
  readonly rateLimits: RateLimits
  readonly inFlight: InFlightLimits
  readonly shutdownSeconds: number
  /** How long a write is believed to be at work without a word from its process. */
  readonly leaseSeconds: number
  readonly toleratesModernHeader: boolean
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Everything wrong with the environment at once. Names and expectations only: a value may be a secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The configuration cannot be used:\n${problems.map((problem) => `  ${problem}\n`).join('')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

const plans = Object.keys(tenantRatePerMinute) as Plan[]
const hostShape = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i
const callRange = [1, 1_000_000] as const
const placeRange = [1, 10_000] as const

/** The settings, in the order in which they are documented. */
export const settings = z.object({
  POSTERN_DATA_DIR: text('path', './data', 'Folder of the embedded database and of the key file.'),
  DATABASE_URL: optionalText((value) => /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value), {
    form: 'postgres:// URL of the owner of the database',
    description: 'A PostgreSQL server of your own instead of the embedded one. Needs POSTERN_SECRET_KEYS.',
    isSecret: true,
  }),
  POSTERN_SECRET_KEYS: optionalText((value) => keyProblems(value).length === 0, {
    form: 'id:key, the key being 32 random octets in base64; several with a comma between',
    description:
      'Keys that seal and sign: the first for what is new, all for what is there. Without it the embedded database ' +
      'gets a key file in the data folder.',
    isSecret: true,
  }),
  POSTERN_HOST: text(
    'IP address or host name',
    '127.0.0.1',
    'Where to listen; 0.0.0.0 is every IPv4 network.',
  ),
  POSTERN_PORT: wholeNumber(
    [0, 65_535],
    'TCP port',
    '8025',
    'Where to listen; 0 takes any port that is free.',
  ),
  POSTERN_PUBLIC_URL: optionalText(isOrigin, {
    form: 'http or https URL without user, path and query',
    description: 'How clients reach the service, where that is not the address it listens on.',
    isSecret: false,
  }),
  POSTERN_ALLOWED_HOSTS: list(
    (host) => hostShape.test(host),
    'host names, each with its port unless that is the usual one, with a comma between',
    'Further values of the Host header to accept.',
  ),
  POSTERN_ALLOWED_ORIGINS: list(
    isOrigin,
    'origins such as https://app.example.com, with a comma between',
    'Web pages that may call the service from a browser, besides the known clients.',
  ),
  POSTERN_ALLOW_PRIVATE_HOSTS: flag('Whether mail servers at private and loopback addresses may be dialled.'),
  POSTERN_EXTRA_CA_FILE: optionalText(() => true, {
    form: 'path of a PEM file',
    description: 'Authorities to trust for mail servers, besides the usual ones.',
    isSecret: false,
  }),
  POSTERN_LOG_LEVEL: choice(['debug', 'info', 'warn', 'error'], 'info', 'How much is logged.'),
  POSTERN_METRICS: choice(
    ['loopback', 'open', 'off'],
    'loopback',
    'Who may read /metrics: this machine, whoever reaches the port, or nobody.',
  ),
  POSTERN_PLAN: choice(
    plans,
    'self_hosted',
    'Plan of new tenants; a plan decides how many calls a tenant may make.',
  ),
  POSTERN_KEY_CALLS_PER_MINUTE: perKey('minute'),
  POSTERN_KEY_CALLS_PER_HOUR: perKey('hour'),
  POSTERN_KEY_CALLS_PER_DAY: perKey('day'),
  POSTERN_TENANT_CALLS_PER_MINUTE: optionalNumber(
    callRange,
    'tool calls',
    'How many the keys of a tenant may make together per minute, instead of what the plan says.',
  ),
  POSTERN_MAX_REQUESTS: wholeNumber(placeRange, 'requests', '256', 'How many are answered at once.'),
  POSTERN_MAX_REQUESTS_PER_TENANT: wholeNumber(placeRange, 'requests', '64', 'How many of one tenant are.'),
  POSTERN_SHUTDOWN_SECONDS: wholeNumber(
    [0, 600],
    'seconds',
    '60',
    'How long calls may finish when the service stops.',
  ),
  POSTERN_LEASE_SECONDS: wholeNumber(
    [2, 3_600],
    'seconds',
    String(defaultLeaseSeconds),
    'How long after a process was last heard of its unfinished writes count as interrupted.',
  ),
  POSTERN_TOLERATE_MODERN_HEADER: flag(
    'Whether a request that names revision 2026-07-28 in its header alone is served as an older one.',
  ),
})

/**
 * Reads the settings from an environment; an empty value counts as absent, as compose files leave them.
 * @param alsoKnown `POSTERN_` names that belong to another part of the same process and are not ours to judge.
 * @throws ConfigError naming every problem.
 */
export function parseConfig(environment: Environment, alsoKnown: readonly string[] = []): GatewayConfig {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = settings.safeParse(given)
  const problems = [
    ...unknownNames(Object.keys(given), alsoKnown),
    ...(parsed.error?.issues.map(({ path }) => problemWith(String(path[0]), given)) ?? []),
    ...(given['DATABASE_URL'] !== undefined && given['POSTERN_SECRET_KEYS'] === undefined
      ? ['POSTERN_SECRET_KEYS is missing: a database of your own needs keys of your own']
      : []),
  ]
  if (!parsed.success || problems.length > 0) throw new ConfigError([...new Set(problems)])
  return toConfig(parsed.data)
}

function toConfig(values: z.output<typeof settings>): GatewayConfig {
  const { POSTERN_PUBLIC_URL: publicUrl, POSTERN_EXTRA_CA_FILE: extraCaFile } = values
  return {
    dataDir: resolve(values.POSTERN_DATA_DIR),
    host: values.POSTERN_HOST,
    port: values.POSTERN_PORT,
    databaseUrl: values.DATABASE_URL ?? null,
    secretKeys: values.POSTERN_SECRET_KEYS ?? null,
    publicUrl: publicUrl === undefined ? null : new URL(publicUrl).origin,
    allowedHosts: values.POSTERN_ALLOWED_HOSTS.map((host) => host.toLowerCase()),
    allowedOrigins: values.POSTERN_ALLOWED_ORIGINS.map((origin) => new URL(origin).origin),
    allowsPrivateHosts: values.POSTERN_ALLOW_PRIVATE_HOSTS,
    extraCaFile: extraCaFile === undefined ? null : resolve(extraCaFile),
    logLevel: values.POSTERN_LOG_LEVEL,
    metricsAccess: values.POSTERN_METRICS,
    plan: values.POSTERN_PLAN,
    rateLimits: {
      minute: values.POSTERN_KEY_CALLS_PER_MINUTE,
      hour: values.POSTERN_KEY_CALLS_PER_HOUR,
      day: values.POSTERN_KEY_CALLS_PER_DAY,
      tenantMinute: values.POSTERN_TENANT_CALLS_PER_MINUTE ?? null,
    },
    inFlight: { total: values.POSTERN_MAX_REQUESTS, perTenant: values.POSTERN_MAX_REQUESTS_PER_TENANT },
    leaseSeconds: values.POSTERN_LEASE_SECONDS,
    shutdownSeconds: values.POSTERN_SHUTDOWN_SECONDS,
    toleratesModernHeader: values.POSTERN_TOLERATE_MODERN_HEADER,
  }
}

function perKey(window: keyof typeof keyRateLimits) {
  return wholeNumber(
    callRange,
    'tool calls',
    String(keyRateLimits[window]),
    `How many a key may make per ${window}.`,
  )
}

function problemWith(name: string, given: Environment): string {
  const schema = settings.shape[name as keyof typeof settings.shape]
  const problems = name === 'POSTERN_SECRET_KEYS' ? keyProblems(given[name] ?? '') : []
  const more = problems.length === 0 ? '' : ` (${problems.join('; ')})`
  return `${name} must be: ${settingFacts.get(schema)?.form ?? ''}${more}`
}

/** What is wrong with the keys, by position and id. */
function keyProblems(value: string): readonly string[] {
  try {
    createKeyRing(value)
    return []
  } catch (error) {
    const problems = error instanceof Fault ? error.details['problems'] : undefined
    if (!Array.isArray(problems)) throw error
    return problems.map(String)
  }
}

/** A misspelt name would silently leave its default in force. */
function unknownNames(given: readonly string[], alsoKnown: readonly string[]): readonly string[] {
  const known = Object.keys(settings.shape)
  return given
    .filter((name) => name.startsWith('POSTERN_') && !known.includes(name) && !alsoKnown.includes(name))
    .map((name) => `${name} is no setting; the nearest is ${nearestOf(name.slice(0, 64), known)}`)
}

function nearestOf(name: string, known: readonly string[]): string {
  const [nearest = ''] = known.toSorted((a, b) => editDistance(name, a) - editDistance(name, b))
  return nearest
}

function isOrigin(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false
  const { pathname, search, hash, username, password } = new URL(value)
  return pathname === '/' && [search, hash, username, password].every((part) => part === '')
}
