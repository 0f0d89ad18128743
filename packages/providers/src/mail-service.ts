import { z } from 'zod'
import presets from './presets.json' with { type: 'json' }

const serviceSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Domains of addresses that belong to the service; own domains of its customers are not known. */
  domains: z.array(z.string()),
  /** Hosts by which a typed-in server is recognised as this service. */
  hosts: z.array(z.string()),
  imap: z.strictObject({ host: z.string(), port: z.number(), tls: z.enum(['implicit', 'starttls']) }),
  /** Where its mailboxes submit what they send, with the same login. */
  smtp: z.strictObject({
    host: z.string(),
    port: z.number(),
    tls: z.enum(['implicit', 'starttls']),
    /** Further names of the same server. */
    otherHosts: z.array(z.string()),
    /** It stores what is submitted in the folder of sent mail by itself: a second copy would be a duplicate. */
    savesSentCopy: z.boolean(),
  }),
  username: z.enum(['address', 'local_part']),
  /** The account password does not work here (`isAlways`), or not with two-factor login; where to make one that does. */
  appPassword: z.strictObject({ isAlways: z.boolean(), url: z.string().nullable() }).nullable(),
  needsOauth: z.boolean(),
  /** Connections the service allows one mailbox, where that is known. */
  maxConnections: z.number().nullable(),
  /** authserv-ids of its own Authentication-Results (RFC 8601). */
  authservIds: z.array(z.string()),
  quirks: z.array(z.enum(['id_after_login', 'bridge'])),
  /** One sentence of ours for the owner. */
  note: z.string().nullable(),
})

/** A mail service that many people use, and how its mailboxes are reached. */
export type MailService = Readonly<z.infer<typeof serviceSchema>>

/** Every service that is known, by its id of our own. */
export const mailServices: readonly MailService[] = z.array(serviceSchema).parse(presets)
const byDomain = new Map(
  mailServices.flatMap((service) => service.domains.map((domain) => [domain, service])),
)
// A bridge answers at this machine's own address, where anything else may answer as well.
const reached = mailServices.filter(({ quirks }) => !quirks.includes('bridge'))
const byHost = new Map(reached.flatMap((service) => service.hosts.map((host) => [host, service])))
const bySmtpHost = new Map(
  reached.flatMap((service) =>
    [service.smtp.host, ...service.smtp.otherHosts].map((host) => [host, service]),
  ),
)

/** The service that hosts addresses of this domain, or null. Asks nobody. */
export function findServiceOfDomain(domain: string): MailService | null {
  return byDomain.get(domain.toLowerCase().replace(/\.$/, '')) ?? null
}

/** The service that this IMAP server belongs to, or null. */
export function findServiceOfHost(host: string): MailService | null {
  return byHost.get(host.toLowerCase().replace(/\.$/, '')) ?? null
}

/** The service that this submission server belongs to, or null. */
export function findServiceOfSmtpHost(host: string): MailService | null {
  return bySmtpHost.get(host.toLowerCase().replace(/\.$/, '')) ?? null
}
