import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext, getCACertificates, type ConnectionOptions, type SecureContext } from 'node:tls'

/** Why a TLS handshake failed, in words that reveal nothing of the other side. */
export type TlsReason =
  | 'tls_expired'
  | 'tls_self_signed'
  | 'tls_untrusted'
  | 'tls_name_mismatch'
  | 'tls_not_spoken'
  | 'tls_failed'

export interface TlsTrust {
  /** PEM of further authorities that this installation trusts. */
  readonly extraCa?: string | undefined
  /** PEM of the one this mailbox's owner named. */
  readonly caPem?: string | undefined
}

/**
 * Options of a TLS connection to `host`: the name is checked and sent as SNI, whatever address was dialled;
 * a certificate that does not verify ends the handshake. TLS 1.2 at least (RFC 8997).
 */
export function tlsOptions(host: string, trust: TlsTrust): ConnectionOptions {
  const bare = host.replace(/\.$/, '')
  return {
    // RFC 6066 3: an address is never sent as server name. Node verifies the certificate against `host`.
    host: bare,
    ...(isIP(bare) === 0 ? { servername: bare } : {}),
    secureContext: secureContext(trust),
    rejectUnauthorized: true,
  }
}

// One context holds a parsed copy of every authority, about a megabyte: made once for all mailboxes that
// trust the same, never once a connection.
const contexts = new Map<string, SecureContext>()
const maxContexts = 16

function secureContext(trust: TlsTrust): SecureContext {
  const extra = [trust.extraCa, trust.caPem].filter((pem) => pem !== undefined && pem !== '')
  const key = createHash('sha256').update(JSON.stringify(extra)).digest('base64')
  const known = contexts.get(key)
  const context =
    known ??
    createSecureContext({
      minVersion: 'TLSv1.2',
      ...(extra.length === 0 ? {} : { ca: [...getCACertificates('default'), ...extra.map(String)] }),
    })
  contexts.delete(key)
  contexts.set(key, context)
  const oldest = contexts.keys().next()
  if (contexts.size > maxContexts && oldest.done !== true) contexts.delete(oldest.value)
  return context
}

const reasons: ReadonlyMap<string, TlsReason> = new Map([
  ['CERT_HAS_EXPIRED', 'tls_expired'],
  ['CERT_NOT_YET_VALID', 'tls_expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_self_signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'tls_untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_untrusted'],
  ['CERT_UNTRUSTED', 'tls_untrusted'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_name_mismatch'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_not_spoken'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'tls_not_spoken'],
  ['EPROTO', 'tls_failed'],
])

/** Tells a failed handshake from other socket errors; null for the latter. */
export function tlsReason(code: string): TlsReason | null {
  return reasons.get(code) ?? (/^(?:ERR_SSL_|ERR_TLS_|CERT_)/.test(code) ? 'tls_failed' : null)
}
