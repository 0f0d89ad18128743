import { findServiceOfDomain, type MailService } from '../mail-service.ts'
import type { ImapCredential } from './credential.ts'

/** Settings to try, all but the password. */
export interface ImapCandidate extends Pick<ImapCredential, 'host' | 'port' | 'tls' | 'username'> {
  readonly service: MailService | null
  /** Submission servers to try, the likeliest first; none where nothing is known. */
  readonly submissions: readonly SmtpSettings[]
}

export type SmtpSettings = NonNullable<ImapCredential['smtp']>

/**
 * How the mailbox of an address is probably reached, the likeliest first: what is known of its service, else the
 * usual names in its domain. Asks no one; whether a candidate is right, `checkConnection` finds out.
 * Source of the names: common practice, RFC 6186 leaves them to DNS.
 */
export function autoconfig(emailAddress: string): readonly ImapCandidate[] {
  const at = emailAddress.lastIndexOf('@')
  const domain = emailAddress.slice(at + 1).toLowerCase()
  if (at < 1 || !/^[^\s@/:]+\.[^\s@/:.]+$/.test(domain)) return []
  const service = findServiceOfDomain(domain)
  if (service !== null) {
    const username = service.username === 'address' ? emailAddress : emailAddress.slice(0, at)
    return [{ ...service.imap, username, service, submissions: [submissionOf(service)] }]
  }
  const submissions = [
    { host: `smtp.${domain}`, port: 465, tls: 'implicit' },
    { host: `mail.${domain}`, port: 465, tls: 'implicit' },
  ] as const
  const usual = { username: emailAddress, service: null, submissions }
  return [
    { ...usual, host: `imap.${domain}`, port: 993, tls: 'implicit' },
    { ...usual, host: `mail.${domain}`, port: 993, tls: 'implicit' },
    { ...usual, host: `imap.${domain}`, port: 143, tls: 'starttls' },
    { ...usual, host: `mail.${domain}`, port: 143, tls: 'starttls' },
    { ...usual, host: domain, port: 993, tls: 'implicit' },
  ]
}

/** The submission server of a known service, as a credential names it. */
export function submissionOf({ smtp: { host, port, tls } }: MailService): SmtpSettings {
  return { host, port, tls }
}
