import type {
  ApprovalDirectory,
  ApprovalShelf,
  AuditLog,
  InboxDirectory,
  InboxRecord,
  OperationLedger,
  Principal,
} from '@postern/access'
import type { ContactBook } from '@postern/contacts'
import type { Clock, Fault, Log, Signer } from '@postern/core'
import type { Capabilities, DocumentPool, MailAdapter, ParsePool, PartId } from '@postern/mail'
import type { Outbox, PolicyDirectory, SignatureBook } from '@postern/outbox'
import type { WaitPlaces } from './wait-places.ts'

/** A file that a caller put here beforehand, to attach it. */
export interface UploadedFile {
  readonly filename: string
  readonly mimeType: string
  readonly octets: Uint8Array
}

/** Files waiting to be attached. */
export interface UploadShelf {
  /** @throws attachment_not_found, also for another tenant's and for one that has expired. */
  get(principal: Principal, uploadId: string): Promise<UploadedFile>
}

/** One file of one message: what a link leads to. */
export interface FileAddress {
  readonly inboxId: string
  readonly messageId: string
  /** Null: the stored message itself. */
  readonly partId: PartId | null
}

export interface DownloadLink {
  readonly url: string
  readonly expiresAt: Date
  /** How often the file can be fetched by it. */
  readonly uses: number
}

/** Links by which a file is fetched without a credential: they name it alone, and end with the key that asked. */
export interface DownloadLinks {
  /** @throws rate_limit_exceeded when too many of them are open, service_busy without a database. */
  make(principal: Principal, file: FileAddress): Promise<DownloadLink>
}

/** What tools need of the rest of the house; bound once per process by `wire.ts`. */
export interface ToolDeps {
  readonly inboxes: InboxDirectory
  /** Opens an inbox this tenant owns. Dials nothing yet. @throws inbox_reconnect_required, inbox_disabled. */
  readonly openInbox: (inbox: InboxRecord) => Promise<MailAdapter>
  /** What adapters of a provider kind can do; known without opening an inbox. */
  readonly capabilitiesOf: (provider: string) => Capabilities
  /** Threads where long HTML of strangers is parsed; null parses in place. */
  readonly htmlPool: ParsePool | null
  /** Threads where PDF and Office documents are taken apart; null does it in place. */
  readonly documentPool: DocumentPool | null
  readonly audit: AuditLog
  readonly ledger: OperationLedger
  readonly outbox: Outbox
  /** What is ruled: to be told beforehand, and before many messages are changed. Of sending the outbox decides by itself. */
  readonly policies: PolicyDirectory
  /** Whom the owner is in touch with. */
  readonly book: ContactBook
  readonly approvals: ApprovalDirectory & ApprovalShelf
  readonly uploads: UploadShelf
  readonly downloads: DownloadLinks
  readonly signatures: SignatureBook
  readonly messageIdSigner: Signer
  readonly cursorSigner: Signer
  /** Who waits for mail at this moment. */
  readonly waits: WaitPlaces
  readonly clock: Clock
  /** Where an owner connects or reconnects inboxes, for texts and `reconnect_url`. */
  readonly ownerUrl: string
}

/** One incoming call: who, from where to stop it, and where to log it. */
export interface ToolCall {
  readonly principal: Principal
  readonly requestId: string
  readonly signal: AbortSignal
  readonly log: Log
  /** `?readonly=1` on the URL: every tool that is not read-only is refused. */
  readonly isReadOnly: boolean
  /** Tells the client how far the call is, where it asked to hear; else null. Never throws. */
  readonly progress: Progress | null
}

/** Seconds of `total` that have passed. */
export type Progress = (seconds: number, total: number) => void

export interface TextContent {
  readonly type: 'text'
  readonly text: string
}

/** A picture or a sound, in base64. */
export interface MediaContent {
  readonly type: 'image' | 'audio'
  readonly data: string
  readonly mimeType: string
}

/** Where a file can be fetched. */
export interface ResourceLink {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly mimeType: string
  readonly size: number
}

/** Any other file, in base64; never as text, which would be text of a stranger without its fence. */
export interface EmbeddedResource {
  readonly type: 'resource'
  readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string }
}

/** What may follow the text of a result. */
export type FileContent = MediaContent | ResourceLink | EmbeddedResource

/** A finished `tools/call` result, as the protocol wants it. Success and failure alike; `callTool` never throws. */
export interface ToolResult {
  readonly content: readonly [TextContent, ...FileContent[]]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: true
  readonly _meta?: Readonly<Record<string, unknown>>
}

/**
 * Left for the HTTP edge where a result alone cannot say it: `unknown_tool` becomes JSON-RPC -32602,
 * `rate_limit_exceeded` 429, `service_busy` 503, `insufficient_scope` 403 for OAuth grants.
 */
export interface EdgeFault {
  readonly code: 'unknown_tool' | 'insufficient_scope' | 'rate_limit_exceeded' | 'service_busy'
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface ToolOutcome {
  readonly result: ToolResult
  readonly edge: EdgeFault | null
  /** `email_read.search`; for the log line and the metrics of the call. */
  readonly operation: string
  /** The inbox used, when it was exactly one. */
  readonly inboxId: string | null
  /** Its kind of provider, for metrics. */
  readonly provider: string | null
  /** What went wrong, for the log: `internal` and `cause` belong there and nowhere else. */
  readonly fault: Fault | null
}

/** One entry of `tools/list`, byte-identical for equal grants. */
export interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly annotations: {
    readonly title: string
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

/** Narrowing options of the URL: `?toolsets=` names and `?readonly=1`. */
export interface ListOptions {
  /** Null when the URL names none. Unknown names are ignored. */
  readonly toolsets: readonly string[] | null
  readonly isReadOnly: boolean
}
