import type { GatewayConfig } from './config.ts'
import type { HostOriginOptions } from './plugins/host-origin.ts'

/** Web clients that call from a page of their own and send its Origin. */
const clientOrigins = ['https://claude.ai', 'https://claude.com', 'https://chatgpt.com', 'https://vscode.dev']

/** The Host and Origin values to accept besides loopback names, which follow the port really listened on. */
export function allowedNames(
  config: Pick<GatewayConfig, 'host' | 'port' | 'publicUrl' | 'allowedHosts' | 'allowedOrigins'>,
): HostOriginOptions {
  const { host, port, publicUrl, allowedHosts, allowedOrigins } = config
  return {
    hosts: new Set([
      ...(publicUrl === null ? [] : hostsOf(new URL(publicUrl))),
      ...(isWildcard(host)
        ? []
        : [`${host.includes(':') ? `[${host}]` : host}:${String(port)}`.toLowerCase()]),
      ...allowedHosts,
    ]),
    origins: new Set([...(publicUrl === null ? [] : [publicUrl]), ...clientOrigins, ...allowedOrigins]),
  }
}

/** A client may spell out the port that goes without saying. */
function hostsOf({ hostname, host, port, protocol }: URL): readonly string[] {
  return port === '' ? [hostname, `${hostname}:${protocol === 'https:' ? '443' : '80'}`] : [host]
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}
