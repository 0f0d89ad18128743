import { Fault } from '@postern/core'
import { domainOf, type AddrSpec } from './addr-spec.ts'

/**
 * A Message-ID of ours, at the sender's domain: it names no host of the service. @throws compose_failed for a token
 * that is none.
 */
export function ownMessageId(token: string, from: AddrSpec): string {
  if (/^[0-9A-Za-z]{16,64}$/.test(token)) return `<${token}@${domainOf(from)}>`
  throw new Fault('compose_failed', {
    public: 'Postern could not build this message. Nothing was sent or stored.',
    internal: 'token of a message is not base62',
  })
}
