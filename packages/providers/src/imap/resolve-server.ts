import { Fault, isPublicAddress, resolvePublicAddress, withDeadline, type ResolvedHost } from '@postern/core'
import type { Call } from '@postern/mail'

/** Where a server was said to be. */
export interface ServerSetting {
  readonly host: string
  readonly port: number
  readonly tls: 'implicit' | 'starttls' | 'none'
}

export interface Reach {
  /** Self-hosted: private addresses, any port and, where chosen, cleartext to them. */
  readonly allowPrivateHosts: boolean
  readonly lookupAll?: Parameters<typeof resolvePublicAddress>[2]
}

/**
 * The address to dial, once it may be dialled: a stranger names the server, and must not reach by it what only this
 * machine can reach, nor make it send a password in clear.
 * @param ports those that a stranger may have dialled.
 * @throws invalid_arguments (port_not_allowed, private_address, cleartext_refused), provider_unavailable (dns),
 * timeout, `signal.reason`.
 */
export async function resolveServer(
  { host, port, tls }: ServerSetting,
  ports: ReadonlySet<number>,
  { allowPrivateHosts, lookupAll }: Reach,
  call: Call,
): Promise<ResolvedHost> {
  if (!allowPrivateHosts && !ports.has(port)) {
    throw refusedSetting('port_not_allowed', 'This service dials mail servers only on the usual mail ports.')
  }
  const lookup = resolvePublicAddress(host, allowPrivateHosts, lookupAll)
  const resolved = await withDeadline(lookup, call.deadline, call.signal)
  if (tls === 'none' && (!allowPrivateHosts || isPublicAddress(resolved.address))) {
    throw refusedSetting('cleartext_refused', 'This service does not send a password without TLS.')
  }
  return resolved
}

function refusedSetting(reason: 'port_not_allowed' | 'cleartext_refused', what: string): Fault {
  return new Fault('invalid_arguments', { public: `${what} Nothing was changed.`, details: { reason } })
}
