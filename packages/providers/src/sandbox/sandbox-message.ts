import type { Flags, FolderRole } from '@postern/mail'

/** A message of the sandbox before an adapter holds it. `folder` is a decoded path with `/` between levels. */
export interface SandboxMessage {
  readonly folder: string
  readonly role: FolderRole | null
  readonly flags: Flags
  readonly receivedAt: Date
  /** The whole message, RFC 5322 octets with CRLF line ends. */
  readonly raw: Uint8Array
}

/** The authserv-id (RFC 8601 2.5) of the server that pretends to have received the sandbox's mail. */
export const sandboxAuthservId = 'mx.sandbox.example'
