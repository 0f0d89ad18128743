/** Collects items and writes them together, so that a call never waits for a record of itself. */
export interface Batcher<T> {
  /** Never throws, never waits. An item of the same key replaces the one before it. */
  add(key: string, item: T): void
  /** Writes all there is, and waits for it. */
  flush(): Promise<void>
  /** Writes all there is, once, and takes no more. */
  close(): Promise<void>
}

export interface BatcherOptions<T> {
  readonly seconds: number
  /** A batch of this size does not wait for the time. */
  readonly maxItems: number
  /** Items beyond this are lost; it bounds the memory of a process whose database is away. */
  readonly maxWaiting: number
  /** One call at a time. Must not throw. Returns what is to be tried again later, with its keys. */
  readonly write: (items: ReadonlyMap<string, T>) => Promise<ReadonlyMap<string, T>>
  readonly onLost: (count: number) => void
}

export function createBatcher<T>(options: BatcherOptions<T>): Batcher<T> {
  const { seconds, maxItems, maxWaiting, onLost } = options
  let waiting = new Map<string, T>()
  let writing: Promise<void> = Promise.resolve()
  let underWay = 0
  let timer: NodeJS.Timeout | null = null
  let isFailing = false
  let isClosed = false

  const write = async (items: ReadonlyMap<string, T>): Promise<void> => {
    const again = await options.write(items)
    underWay -= items.size
    isFailing = again.size > 0
    if (isClosed && isFailing) onLost(again.size)
    if (isClosed || !isFailing) return
    // What was added meanwhile is newer, so it stays in front of what comes back.
    waiting = new Map([...again, ...waiting])
    arm()
  }
  const writeAll = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (waiting.size === 0) return writing
    const items = waiting
    waiting = new Map()
    underWay += items.size
    writing = writing.then(() => write(items))
    return writing
  }
  // A process that has nothing else to do may end; an orderly one closes first.
  const arm = (): void => {
    timer ??= setTimeout(() => void writeAll(), seconds * 1000).unref()
  }
  return {
    add: (key, item) => {
      if (isClosed || waiting.size + underWay >= maxWaiting) {
        onLost(1)
        return
      }
      waiting.set(key, item)
      // After a failure only the time starts another attempt: a database that is away must not be hammered.
      if (waiting.size >= maxItems && !isFailing) void writeAll()
      else arm()
    },
    flush: writeAll,
    close: () => {
      isClosed = true
      return writeAll()
    },
  }
}
