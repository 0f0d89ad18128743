import {
  joinThread,
  readThreadMember,
  threadHeaders,
  type FolderId,
  type JoinedThread,
  type Message,
  type ThreadMember,
} from '@postern/mail'
import { requireOk } from './faults.ts'
import { fetchMessages, type FetchWish } from './fetch-messages.ts'
import { chunk } from './number-set.ts'
import type { OpenMailbox } from './pool.ts'
import { searchNumbers } from './search-numbers.ts'
import { threadQuestions, type ThreadQuestion } from './thread-questions.ts'
import { atom, type Argument } from './wire.ts'

/** RFC 7162 4: a command line stays below 8,000 octets. */
const maxCommandOctets = 7_000
/** Messages that are looked at for one conversation, and of them those one command may bring. */
export const maxThreadMessages = 1_000
const maxFound = 500
/** Headers of so many messages come in one answer. */
const fetchWidth = 100
/** How often what was found in a folder may lead to further questions there at once. */
const maxTurns = 5

/** Headers that place a message in a conversation, and nothing of its content. */
export const threadWish: FetchWish = {
  headers: threadHeaders,
  withPreview: false,
  withStructure: false,
  isStrict: true,
}

/** What is known of a conversation while its folders are searched, and what each folder was asked. */
export class ThreadSearch {
  readonly #seed: ThreadMember
  readonly #ownAddresses: ReadonlySet<string>
  readonly #found = new Map<string, ThreadMember>()
  readonly #asked = new Map<FolderId, Set<string>>()
  readonly #looked = new Map<FolderId, Set<number>>()
  #joined: JoinedThread
  #isCut = false

  constructor(seed: Message, ownAddresses: readonly string[]) {
    this.#ownAddresses = new Set(ownAddresses)
    this.#seed = readThreadMember(seed, this.#ownAddresses)
    this.#found.set(keyOf(seed), this.#seed)
    this.#joined = this.#join()
  }

  get members(): readonly ThreadMember[] {
    return this.#joined.members
  }

  /** False when a bound left something unasked or unread. */
  get isWhole(): boolean {
    return !this.#isCut && !threadQuestions(this.#joined).isCut
  }

  /** Whether more than the message that was asked for is known. */
  get hasFound(): boolean {
    return this.#found.size > 1
  }

  isDone(folderId: FolderId): boolean {
    return this.#open(folderId).length === 0
  }

  /** Asks the open folder everything that it was not asked yet, and what follows from its answers. */
  async lookInto(mailbox: OpenMailbox): Promise<void> {
    const { folderId } = mailbox
    for (let turn = 0; turn < maxTurns; turn++) {
      const open = this.#open(folderId)
      if (open.length === 0) return
      for (const some of commandsOf(open)) {
        const uids = mailbox.exists === 0 ? [] : await this.#ask(mailbox, some)
        await this.#read(mailbox, uids)
        this.#asked.set(
          folderId,
          new Set([...(this.#asked.get(folderId) ?? []), ...some.map(({ key }) => key)]),
        )
      }
      this.#joined = this.#join()
    }
  }

  #join(): JoinedThread {
    return joinThread([...this.#found.values()], this.#seed)
  }

  #open(folderId: FolderId): readonly ThreadQuestion[] {
    const asked = this.#asked.get(folderId)
    return threadQuestions(this.#joined).questions.filter(({ key }) => asked?.has(key) !== true)
  }

  /** UIDs that answer one of the questions. */
  async #ask({ connection }: OpenMailbox, questions: readonly ThreadQuestion[]): Promise<readonly number[]> {
    const needsCharset = !connection.isUtf8 && questions.some(({ isBeyondAscii }) => isBeyondAscii)
    const answer = await connection.run(
      'UID SEARCH',
      [
        ...(needsCharset ? [atom('CHARSET'), atom('UTF-8')] : []),
        ...either(questions.map(({ search }) => search)),
      ],
      { collect: ['SEARCH'], isPatient: true },
    )
    if (needsCharset && answer.status !== 'OK') {
      // Such questions come by themselves: nothing that ASCII can say goes unasked with them.
      this.#isCut = true
      return []
    }
    return searchNumbers(requireOk(answer, 'UID SEARCH').lines)
  }

  async #read(mailbox: OpenMailbox, uids: readonly number[]): Promise<void> {
    const looked = this.#looked.get(mailbox.folderId)
    const fresh = [...new Set(uids)].filter((uid) => looked?.has(uid) !== true).sort((a, b) => b - a)
    const room = Math.min(maxFound, maxThreadMessages - this.#found.size)
    if (fresh.length > room) this.#isCut = true
    for (const numbers of chunk(fresh.slice(0, room), fetchWidth)) {
      const fetched = await fetchMessages(mailbox, { by: 'uid', numbers }, threadWish, null)
      for (const { message, isBroken } of fetched) {
        const key = keyOf(message)
        if (isBroken) this.#isCut = true
        if (!this.#found.has(key)) this.#found.set(key, readThreadMember(message, this.#ownAddresses))
      }
      this.#looked.set(mailbox.folderId, new Set([...(this.#looked.get(mailbox.folderId) ?? []), ...numbers]))
    }
  }
}

function keyOf({ ref }: Message): string {
  return Buffer.from(ref.locator).toString('latin1')
}

/** Questions by command: as many as a line may hold, and those that need a charset for themselves. */
function commandsOf(questions: readonly ThreadQuestion[]): readonly (readonly ThreadQuestion[])[] {
  const commands: ThreadQuestion[][] = []
  for (const group of Map.groupBy(questions, ({ isBeyondAscii }) => isBeyondAscii).values()) {
    let octets = Infinity
    for (const question of group) {
      octets += question.octets
      if (octets > maxCommandOctets) {
        octets = question.octets
        commands.push([])
      }
      commands.at(-1)?.push(question)
    }
  }
  return commands
}

/** OR takes two keys; halving keeps the nesting below what servers allow. RFC 3501 6.4.4. */
function either(keys: readonly Argument[]): readonly Argument[] {
  if (keys.length <= 1) return keys
  const middle = Math.ceil(keys.length / 2)
  return [atom('OR'), ...[keys.slice(0, middle), keys.slice(middle)].flatMap(either)]
}
