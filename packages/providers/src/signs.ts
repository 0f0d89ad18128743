import { remainingMs } from '@postern/core'
import type { Call } from '@postern/mail'

/** Least time from one look to the next: a server that never stops telling must not be asked without end. */
const restMs = 250

/** Signs of change, kept until somebody asks: one that comes during a look is answered by the next look. */
export class Signs {
  #isGiven = false
  #wake: (() => void) | null = null

  /** Never throws and may be called at any time. */
  give(): void {
    this.#isGiven = true
    this.#wake?.()
  }

  /**
   * Looks after each sign until a look answers something. Null: the deadline came first.
   * @throws what `look` throws, `signal.reason`.
   */
  async answer<T>(look: () => Promise<T | null>, call: Call): Promise<T | null> {
    while (await this.#next(call)) {
      const startedAt = Date.now()
      const seen = await look()
      if (seen !== null) return seen
      await this.#pause(Math.max(0, startedAt + restMs - Date.now()), call)
    }
    return null
  }

  /** True with the next sign, false with the deadline. */
  async #next(call: Call): Promise<boolean> {
    call.signal.throwIfAborted()
    if (!this.#isGiven) await this.#sleep(remainingMs(call.deadline), call, true)
    const isGiven = this.#isGiven && remainingMs(call.deadline) > 0
    this.#isGiven = false
    return isGiven
  }

  async #pause(ms: number, call: Call): Promise<void> {
    if (ms > 0) await this.#sleep(Math.min(ms, remainingMs(call.deadline)), call, false)
  }

  async #sleep(ms: number, { signal }: Call, isWoken: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    const onAbort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    if (isWoken) this.#wake = resolve
    try {
      await promise
    } finally {
      this.#wake = null
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }
}
