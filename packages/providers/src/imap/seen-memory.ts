import type { FolderId } from '@postern/mail'
import type { FetchedMessage } from './fetch-messages.ts'

/** A folder as it is open: under one UIDVALIDITY a UID never means another message (RFC 3501 2.3.1.1). */
interface Opened {
  readonly folderId: FolderId
  readonly uidValidity: number
}

/**
 * What was fetched of messages that are about to be changed, within one call: the verb that changes them need not ask for
 * the same again.
 */
export class SeenMemory {
  #opened: Opened | null = null
  readonly #seen = new Map<number, FetchedMessage>()

  remember({ folderId, uidValidity }: Opened, messages: readonly FetchedMessage[]): void {
    if (!this.#isOf({ folderId, uidValidity })) this.#seen.clear()
    this.#opened = { folderId, uidValidity }
    for (const message of messages) this.#seen.set(message.uid, message)
  }

  /** Gives them out once; null where one of them was not seen. */
  take(opened: Opened, uids: readonly number[]): readonly FetchedMessage[] | null {
    if (!this.#isOf(opened)) return null
    const messages = uids.flatMap((uid) => this.#seen.get(uid) ?? [])
    for (const uid of uids) this.#seen.delete(uid)
    return messages.length === uids.length ? messages : null
  }

  #isOf({ folderId, uidValidity }: Opened): boolean {
    return this.#opened?.folderId === folderId && this.#opened.uidValidity === uidValidity
  }
}
