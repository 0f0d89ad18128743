import type { SmtpReply } from './smtp-reply.ts'

/** What a server offers: keyword in upper case to its parameters in upper case. RFC 5321 4.1.1.1. */
export type SmtpExtensions = ReadonlyMap<string, readonly string[]>

/** Reads the answer to EHLO, whose first line is a greeting. Of a keyword that comes twice the parameters add up. */
export function smtpExtensions({ lines }: SmtpReply): SmtpExtensions {
  const found = new Map<string, readonly string[]>()
  for (const line of lines.slice(1)) {
    // `AUTH=LOGIN` is how servers wrote it before RFC 2554, and some still do.
    const [keyword = '', ...params] = line
      .trim()
      .toUpperCase()
      .replace(/^AUTH=/, 'AUTH ')
      .split(/\s+/)
    if (keyword !== '') found.set(keyword, [...(found.get(keyword) ?? []), ...params])
  }
  return found
}

/** Octets that a message may have (RFC 1870); null where the server sets no limit, or does not tell one. */
export function smtpSizeLimit(extensions: SmtpExtensions): number | null {
  const [limit = ''] = extensions.get('SIZE') ?? []
  return /^\d{1,15}$/.test(limit) && Number(limit) > 0 ? Number(limit) : null
}
