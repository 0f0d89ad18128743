import { withDeadline } from '@postern/core'
import type { Call } from '@postern/mail'

/** Work under one name runs one piece after the other, in the order in which it was asked for. */
export class TurnQueue {
  readonly #last = new Map<string, Promise<unknown>>()

  /** @throws timeout or `signal.reason` of who waits too long for its turn; what `work` throws. */
  async run<T>(name: string, call: Call, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const { promise: turn, resolve: end } = Promise.withResolvers<void>()
    const mine = before.then(() => turn)
    this.#last.set(name, mine)
    // Not before those ahead have ended, also where this one gives up early: the next in line waits for them too.
    void mine.then(() => {
      if (this.#last.get(name) === mine) this.#last.delete(name)
    })
    try {
      await withDeadline(before, call.deadline, call.signal)
      return await work()
    } finally {
      end()
    }
  }
}
