import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { Fault } from './fault.ts'

/** A host name with the one address that was checked and must be dialled; the name is for TLS only. */
export interface ResolvedHost {
  readonly host: string
  readonly address: string
  readonly family: 4 | 6
}

// IANA special-purpose registries (RFC 6890 and its successors): everything that is not a public unicast address.
const blocked = new BlockList()
const v4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
for (const [network, prefix] of v4) blocked.addSubnet(network, prefix, 'ipv4')

// Only 2000::/3 is global unicast; inside it these are not, or embed an IPv4 address that could be private.
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
const v6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // protocol assignments, Teredo and ORCHID among them
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, embeds an IPv4 address
  ['3fff::', 20], // documentation
]
for (const [network, prefix] of v6) blocked.addSubnet(network, prefix, 'ipv6')

/**
 * True for an address a stranger may make this service dial: public unicast, in no special-purpose range,
 * and no IPv6 form that carries an IPv4 address inside (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !blocked.check(address, 'ipv4')
  if (family === 6) return globalUnicast.check(address, 'ipv6') && !blocked.check(address, 'ipv6')
  return false
}

export type LookupAll = (host: string) => Promise<readonly { address: string; family: number }[]>

const systemLookup: LookupAll = (host) => lookup(host, { all: true, verbatim: true })

/**
 * Resolves a host once and returns the address to dial, so that a second look-up cannot answer differently.
 * Every address of the name must be public, not only the first: otherwise the name is a way in.
 * @param allowPrivate self-hosted installations may reach mail servers on their own network.
 * @throws invalid_arguments when any address is not public; provider_unavailable when the name does not resolve.
 */
export async function resolvePublicAddress(
  host: string,
  allowPrivate: boolean,
  lookupAll: LookupAll = systemLookup,
): Promise<ResolvedHost> {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  const found =
    isIP(bare) === 0 ? await lookupOrFault(bare, lookupAll) : [{ address: bare, family: isIP(bare) }]
  const first = found[0]
  if (first === undefined) throw unresolved('no address')
  if (!allowPrivate && found.some(({ address }) => !isPublicAddress(address))) {
    throw new Fault('invalid_arguments', {
      public:
        'The mail server name leads to a private or reserved address, which this service does not dial. ' +
        'Use a public mail server; a self-hosted service may set POSTERN_ALLOW_PRIVATE_HOSTS=1.',
      internal: 'host resolves to a non-public address',
      details: { argument: 'host', reason: 'private_address' },
    })
  }
  return { host: bare, address: first.address, family: first.family === 6 ? 6 : 4 }
}

async function lookupOrFault(host: string, lookupAll: LookupAll): ReturnType<LookupAll> {
  try {
    return await lookupAll(host)
  } catch (error) {
    throw unresolved(error instanceof Error ? error.message : String(error))
  }
}

function unresolved(internal: string): Fault {
  return new Fault('provider_unavailable', {
    public:
      'The mail server name could not be resolved. Check the spelling of the host; nothing was changed.',
    internal,
    details: { reason: 'dns' },
  })
}
