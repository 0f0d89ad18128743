import type { ThreadMember } from './thread-member.ts'

/** The conversation of one message, as far as the messages at hand tell. */
export interface JoinedThread {
  /** Oldest first, each once. */
  readonly members: readonly ThreadMember[]
  /** Message ids of the conversation, the newest message's first, also of messages that are not at hand. */
  readonly ids: readonly string[]
  /** Those of them at which a chain of answers begins. */
  readonly heads: readonly string[]
  /** Base subjects as written, one of each: an answer without headers may have it. */
  readonly subjects: readonly string[]
  /** Answers without headers that belong to it, or may: what else they could answer decides. */
  readonly loose: readonly ThreadMember[]
}

/** How long after a message an answer without headers is believed to answer it. */
export const maxAnswerMs = 30 * 86_400_000

/**
 * Joins messages by what each says of its own parent. Nobody's word moves another's message: a chain tells the order
 * of ids that are not at hand, and among several chains that of the message received first. So an answer that names
 * two conversations belongs to one of them and does not make them one; loops and repeated ids are harmless.
 *
 * Only an answer that names no message at all is placed by its subject: below the last message before it with the
 * same base subject and a participant in common, within 30 days.
 */
export function joinThread(all: readonly ThreadMember[], seed: ThreadMember): JoinedThread {
  const received = all.toSorted(byArrival)
  const owners = new Map<string, ThreadMember>()
  for (const member of received) {
    if (member.messageId !== null && !owners.has(member.messageId)) owners.set(member.messageId, member)
  }
  const tree = new Tree(owners)
  for (const member of received) tree.place(member)
  for (const member of received) tree.placeMissing(member.chain)
  for (const group of Map.groupBy(received, ({ base }) => base).values()) placeLoose(group, tree)

  const root = tree.rootOf(seed)
  const inside = received.filter((member) => tree.rootOf(member) === root)
  const isInside = (id: string): boolean => tree.rootOfId(id) === root
  const newestFirst = inside.toReversed()
  const named = newestFirst.flatMap(({ messageId, chain }) => [
    ...(messageId === null ? [] : [messageId]),
    ...chain.toReversed(),
  ])
  const heads = newestFirst.flatMap(({ messageId, chain }) => chain[0] ?? messageId ?? [])
  const bases = new Map(inside.map(({ base, baseText }) => [base, baseText]))
  bases.delete('')
  const among = new Set(inside)
  const isNear = (member: ThreadMember): boolean =>
    newestFirst.slice(0, maxCompared).some((other) => other.base === member.base && mayAnswer(member, other))
  return {
    members: countOnce(inside, seed),
    ids: [...new Set(named)].filter(isInside),
    heads: [...new Set(heads)].filter(isInside),
    subjects: [...bases.values()],
    loose: received.filter((member) => member.isLooseAnswer && (among.has(member) || isNear(member))),
  }
}

function byArrival({ message: a }: ThreadMember, { message: b }: ThreadMember): number {
  return a.receivedAt.getTime() - b.receivedAt.getTime()
}

type Node = string | ThreadMember

/** Messages and ids, each below at most one other; what is asked of it is who shares a root. */
class Tree {
  /** The message that was received first under an id; a later one under the same id does not speak for it. */
  readonly #owners: ReadonlyMap<string, ThreadMember>
  /** Towards the root; shortened on the way, since a stranger can make a chain as long as they like. */
  readonly #above = new Map<Node, Node>()

  constructor(owners: ReadonlyMap<string, ThreadMember>) {
    this.#owners = owners
  }

  place(member: ThreadMember): void {
    const { messageId, chain } = member
    const isLater = messageId !== null && this.#owners.get(messageId) !== member
    const parent = chain.at(-1) ?? (isLater ? messageId : null)
    if (parent !== null) this.put(member, this.#nodeOf(parent))
  }

  /** What a chain says of the ids that no message at hand speaks for. */
  placeMissing(chain: readonly string[]): void {
    for (let at = chain.length - 1; at > 0; at--) {
      const [before, id] = [chain[at - 1], chain[at]]
      if (before !== undefined && id !== undefined && !this.#owners.has(id))
        this.put(id, this.#nodeOf(before))
    }
  }

  isPlaced(node: Node): boolean {
    return this.#above.has(node)
  }

  /** Puts a node below another, unless it has a place already or would come below itself. */
  put(node: Node, parent: Node): void {
    if (!this.#above.has(node) && this.rootOf(parent) !== node) this.#above.set(node, parent)
  }

  rootOfId(id: string): Node {
    return this.rootOf(this.#nodeOf(id))
  }

  rootOf(node: Node): Node {
    let root = node
    for (let next = this.#above.get(root); next !== undefined; next = this.#above.get(root)) root = next
    for (let at = node; at !== root;) {
      const next = this.#above.get(at) ?? root
      this.#above.set(at, root)
      at = next
    }
    return root
  }

  #nodeOf(id: string): Node {
    return this.#owners.get(id) ?? id
  }
}

/** Messages before an answer that are compared with it. */
const maxCompared = 200

/** @param group messages of one base subject, by arrival. */
function placeLoose(group: readonly ThreadMember[], tree: Tree): void {
  for (const [index, member] of group.entries()) {
    if (!member.isLooseAnswer || tree.isPlaced(member)) continue
    const answered = group
      .slice(Math.max(0, index - maxCompared), index)
      .findLast((other) => mayAnswer(member, other))
    if (answered !== undefined) tree.put(member, answered)
  }
}

function mayAnswer(loose: ThreadMember, other: ThreadMember): boolean {
  const later = byArrival(loose, other)
  return later >= 0 && later <= maxAnswerMs && !loose.people.isDisjointFrom(other.people)
}

/**
 * Copies of one message in several folders count once; the one received first stays, of equals the one that was asked
 * for. In one folder only messages of one size are copies. Oldest first.
 */
export function countOnce(
  members: readonly ThreadMember[],
  asked: ThreadMember | null,
): readonly ThreadMember[] {
  return [...Map.groupBy(members.toSorted(byArrival), ({ copyKey }) => copyKey).values()]
    .flatMap((group) => {
      const [first] = group
      if (first === undefined) return []
      const equal = group.find((member) => member === asked && byArrival(member, first) === 0)
      const kept = equal ?? first
      return [kept, ...group.filter((member) => member !== kept && !isCopy(member, kept))]
    })
    .sort(byArrival)
}

function isCopy({ message: a }: ThreadMember, { message: b }: ThreadMember): boolean {
  return a.folderId !== b.folderId || a.sizeBytes === b.sizeBytes
}
