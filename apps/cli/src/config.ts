import { ConfigError, parseConfig, type GatewayConfig } from '@postern/gateway/start'
import * as z from 'zod'

type Environment = Readonly<Record<string, string | undefined>>

/** Settings of the command line alone; those of the service stand in the gateway's `config.ts`. */
export const cliSettings = z.object({
  POSTERN_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('URL of the MCP endpoint that `call` uses. Default: the service of this configuration.'),
  POSTERN_KEY: z.string().optional().describe('API key that `call` uses. No default.'),
  POSTERN_IMAP_PASSWORD: z
    .string()
    .optional()
    .describe('Password of the mailbox that `inbox connect imap` connects. Default: it is asked for.'),
})

export interface CliConfig {
  /** How the service is told to run, which is where its data are. */
  readonly service: GatewayConfig
  readonly url: URL | null
  readonly key: string | null
  readonly imapPassword: string | null
}

/** @throws ConfigError naming every problem, never a value. */
export function parseCliConfig(environment: Environment): CliConfig {
  // An empty value counts as absent, as it does for the service.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const own = cliSettings.safeParse(given)
  const service = parseConfig(environment, Object.keys(cliSettings.shape))
  if (!own.success) throw new ConfigError(['POSTERN_URL must be: http or https URL of the MCP endpoint'])
  const { POSTERN_URL: url, POSTERN_KEY: key, POSTERN_IMAP_PASSWORD: imapPassword } = own.data
  return {
    service,
    url: url === undefined ? null : new URL(url),
    key: key ?? null,
    imapPassword: imapPassword ?? null,
  }
}

/** Where clients reach the service of this configuration. */
export function endpointOf(config: GatewayConfig): URL {
  return new URL('/mcp', config.publicUrl ?? `http://${dialable(config.host)}:${config.port}`)
}

/** An address that stands for all of a machine's is listened on, but dialled as loopback. */
function dialable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
