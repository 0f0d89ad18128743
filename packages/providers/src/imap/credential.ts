import { z } from 'zod'

const hostShape =
  /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)*[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.?$/
const addressShape = /^\[?[0-9A-Fa-f:.]{2,45}\]?$/

/** Line ends and NUL end a command or a header: a name or secret that carries one is not one. */
const oneLine = /^[^\0\r\n]+$/

const serverShape = {
  host: z
    .string()
    .min(1)
    .max(253)
    .refine((host) => hostShape.test(host) || addressShape.test(host), 'not a host name'),
  port: z.int().min(1).max(65_535),
  /** `starttls` is demanded, never opportunistic; `none` only where private hosts are allowed. */
  tls: z.enum(['implicit', 'starttls', 'none']),
}

const username = z.string().min(1).max(320).regex(oneLine)
const password = z.string().min(1).max(1_000).regex(oneLine)

/** How to reach and enter one IMAP mailbox; what the vault seals. */
export const imapCredentialSchema = z.strictObject({
  ...serverShape,
  username,
  password,
  /** The submission server, entered with the same name and password unless others are given. Without it nothing is sent. */
  smtp: z
    .strictObject({ ...serverShape, username: username.optional(), password: password.optional() })
    .optional(),
  /** Certificate of an own authority, trusted for this mailbox beside the usual ones. */
  caPem: z.string().max(65_536).optional(),
})

export type ImapCredential = z.infer<typeof imapCredentialSchema>
