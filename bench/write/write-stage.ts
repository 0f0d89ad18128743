import type { Stage } from '../stage.ts'

/** The service as it ships, with an inbox that can send, and what both sides are measured with. */
export interface WriteStage extends Stage {
  /** The submission server, TLS from the first octet. */
  readonly smtp: { readonly host: string; readonly port: number }
  /** Whose mail arrives in the same server. */
  readonly friend: string
}
