/** Who is named at SMTP level: addr-specs, without names; every recipient once. RFC 5321 3.3. */
export interface Envelope {
  readonly from: string
  readonly to: readonly string[]
}

/**
 * A message as it will be stored or sent: built once, never rendered again. `octets` hold Bcc, so that the sender's
 * own copy keeps it; whoever puts them on the wire leaves that field out (`withoutBcc`).
 */
export interface ComposedMessage {
  readonly octets: Uint8Array
  readonly envelope: Envelope
  /** Of the Message-ID header, in angle brackets. */
  readonly rfcMessageId: string
  /** Hexadecimal SHA-256 over all but the Date field: what an approval freezes. */
  readonly sha256: string
  /** Some header or address needs SMTPUTF8 (RFC 6531). */
  readonly needsUtf8: boolean
}
