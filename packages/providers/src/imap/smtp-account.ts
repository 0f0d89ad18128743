import type { ImapCredential } from './credential.ts'

/** How to reach and enter the submission server of a mailbox. */
export interface SmtpAccount {
  readonly host: string
  readonly port: number
  readonly tls: 'implicit' | 'starttls' | 'none'
  readonly username: string
  readonly password: string
  readonly caPem?: string | undefined
}

/** The submission server of a credential, entered as the mailbox is unless it says otherwise; null where it has none. */
export function smtpAccount({ smtp, username, password, caPem }: ImapCredential): SmtpAccount | null {
  if (smtp === undefined) return null
  return {
    host: smtp.host,
    port: smtp.port,
    tls: smtpTls(smtp.port, smtp.tls),
    username: smtp.username ?? username,
    password: smtp.password ?? password,
    caPem,
  }
}

/**
 * The port says how TLS begins, whatever was configured: 465 with the first octet, 587 after STARTTLS (RFC 8314 3.3,
 * RFC 6409 3.1). `none` stays what it is, for the private hosts that alone may have it.
 */
export function smtpTls(port: number, chosen: SmtpAccount['tls'] | undefined): SmtpAccount['tls'] {
  if (chosen === 'none') return 'none'
  if (port === 465) return 'implicit'
  return port === 587 ? 'starttls' : (chosen ?? 'starttls')
}
