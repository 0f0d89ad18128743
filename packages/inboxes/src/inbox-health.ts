import { toFault, type Fault, type Log } from '@postern/core'
import { createInboxEvents, setInboxStatus, withTenant, type Database } from '@postern/store'

/** One inbox as it was opened: a failure says something only about the credential it happened with. */
export interface WatchedInbox {
  readonly tenantId: string
  readonly inboxId: string
  readonly credentialVersion: number
}

/** What the verbs of one opened inbox report. Never throws, never waits. */
export interface HealthReport {
  answered(): void
  failed(fault: Fault): void
}

export interface InboxHealth {
  of(inbox: WatchedInbox): HealthReport
  /** Writes what is waiting; then reports are let go. */
  close(): Promise<void>
}

/** Keeps the owner informed: when the mailbox last answered, and that it refused its credential. */
export function createInboxHealth(db: Database, log: Log): InboxHealth {
  const events = createInboxEvents(db, log)
  const writing = new Set<Promise<void>>()
  const refuse = async ({ tenantId, inboxId, credentialVersion }: WatchedInbox): Promise<void> => {
    const change = { status: 'reconnect_required', reason: refusedReason, credentialVersion } as const
    await withTenant(db, tenantId, (trx) => setInboxStatus(trx, inboxId, change))
  }
  return {
    of: (inbox) => ({
      answered: () => events.add(inbox.tenantId, inbox.inboxId, new Date()),
      failed(fault) {
        if (fault.code !== 'inbox_reconnect_required') return
        const work = refuse(inbox).then(
          () => undefined,
          (error: unknown) => {
            const { reference, message } = toFault(error)
            log.error('inbox_status_not_written', {
              tenant_id: inbox.tenantId,
              inbox_id: inbox.inboxId,
              reference,
              cause: message,
            })
          },
        )
        writing.add(work)
        void work.finally(() => writing.delete(work))
      },
    }),
    async close() {
      await Promise.all(writing)
      await events.close()
    },
  }
}

const refusedReason = 'The mail server refused the stored credential.'
