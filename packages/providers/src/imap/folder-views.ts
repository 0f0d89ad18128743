import { Fault } from '@postern/core'
import type { Call, FolderId } from '@postern/mail'
import { attempt } from '../attempt.ts'
import type { Connection } from './connection.ts'
import { openFolder } from './open-folder.ts'
import { atom, isList, text, tokenText, type Line } from './wire.ts'

/** How long NOOP and IDLE are trusted to tell what is new in the open folder. */
const viewMs = 20_000

/** What a server last said of each watched folder, over one connection. A difference is a sign. */
export class FolderViews {
  readonly #connection: Connection
  readonly #onSign: (folderId: FolderId) => void
  readonly #known = new Map<FolderId, string>()
  #open: { readonly folderId: FolderId; readonly openedAt: number } | null = null
  #exists: number | null = null
  #canIdle: boolean

  /** @param onSign the first look into a folder is a sign too: nobody knows what came before it. */
  constructor(connection: Connection, onSign: (folderId: FolderId) => void) {
    this.#connection = connection
    this.#onSign = onSign
    this.#canIdle = connection.capabilities.has('IDLE')
  }

  /** Every folder has been looked at, so that whatever comes from now on is told. */
  covers(folderIds: readonly FolderId[]): boolean {
    return folderIds.every((folderId) => this.#known.has(folderId))
  }

  /** The connection has been of use for a while. */
  get isSettled(): boolean {
    return this.#known.size > 0
  }

  /** Asks about each folder: the first one is opened, for the others there is STATUS. @throws provider_*, timeout. */
  async look(folderIds: readonly FolderId[], callNow: () => Call): Promise<void> {
    for (const folderId of this.#known.keys()) if (!folderIds.includes(folderId)) this.#known.delete(folderId)
    // The one that is open stays open as long as somebody waits for it.
    const main = folderIds.find((folderId) => folderId === this.#open?.folderId) ?? folderIds[0]
    if (main !== undefined) await this.#lookIntoOpen(main, callNow())
    for (const folderId of folderIds) if (folderId !== main) await this.#ask(folderId, callNow())
  }

  /** Idles until `until` settles; without IDLE, just lets the time pass. @throws provider_*, timeout. */
  async idle(until: Promise<void>, call: Call): Promise<void> {
    if (!this.#canIdle || this.#open === null) return until
    const { status } = await this.#run('IDLE', [], call, until)
    if (status === 'OK') return
    this.#canIdle = false
    await until
  }

  async #lookIntoOpen(folderId: FolderId, call: Call): Promise<void> {
    const isOpen = this.#open?.folderId === folderId
    const isTrusted = isOpen && Date.now() - (this.#open?.openedAt ?? 0) < viewMs
    // Something was expunged: a folder that was deleted and made anew looks like that from inside.
    if (isTrusted && this.#connection.exists !== null) {
      await this.#run('NOOP', [], call)
      return
    }
    this.#open = null
    const lease = this.#connection.lease(call, () => false)
    const opened = await attempt(
      () => openFolder(lease, folderId, 'read'),
      call,
      ({ code }) => code === 'folder_not_found',
    )
    // A difference once: whoever looks meets the reason. The others' folders are asked about all the same.
    if (opened instanceof Fault) return this.#compare(folderId, 'gone')
    const { exists, uidValidity, uidNext } = opened
    this.#open = { folderId, openedAt: Date.now() }
    this.#exists = exists
    this.#compare(folderId, `open ${uidValidity} ${uidNext ?? ''} ${exists}`)
  }

  /** RFC 3501 6.3.10. A folder that cannot be asked about is a difference once: whoever looks meets the reason. */
  async #ask(folderId: FolderId, call: Call): Promise<void> {
    const items = ['MESSAGES', 'UIDNEXT', 'UIDVALIDITY'].map(atom)
    const name = text(folderId, this.#connection.isUtf8)
    const answer = await this.#connection.run(
      { command: 'STATUS', args: [name, items] },
      { collect: ['STATUS'] },
      call,
    )
    const values = answer.lines.flatMap(({ tokens }) =>
      isList(tokens[1]) ? [tokens[1].map((token) => tokenText(token) ?? '').join(' ')] : [],
    )
    this.#compare(folderId, `asked ${answer.status} ${values.join(' ')}`)
  }

  async #run(
    command: string,
    args: readonly [],
    call: Call,
    until?: Promise<void>,
  ): Promise<{ readonly status: string }> {
    return this.#connection.run(
      { command, args },
      {
        collect: ['EXISTS', 'EXPUNGE'],
        onLine: (line) => this.#hear(line),
        ...(until === undefined ? {} : { until, isPatient: true }),
      },
      call,
    )
  }

  /** A server may repeat how many messages there are; behind an expunge no number is a repetition. */
  #hear({ keyword, number }: Line): void {
    if (keyword !== 'EXISTS') {
      this.#exists = null
      return
    }
    const isNew = number !== this.#exists
    this.#exists = number
    if (isNew && this.#open !== null) this.#onSign(this.#open.folderId)
  }

  #compare(folderId: FolderId, view: string): void {
    if (this.#known.get(folderId) === view) return
    this.#known.set(folderId, view)
    this.#onSign(folderId)
  }
}
