import type { Spot } from './locate.ts'
import { packLocator, type Place } from './locator.ts'

/** Messages whose spot one adapter remembers; a call looks at fewer. */
const maxSpots = 500

/**
 * Where the messages were that this adapter has just compared with their ids. An adapter lives for one call: what
 * it fetched by one verb it need not find and compare again for the next.
 */
export class SpotMemory {
  readonly #spots = new Map<string, Spot>()

  get(place: Place): Spot | null {
    return this.#spots.get(keyOf(place)) ?? null
  }

  set(place: Place, spot: Spot): void {
    this.#spots.set(keyOf(place), spot)
    const oldest = this.#spots.keys().next()
    if (this.#spots.size > maxSpots && oldest.done !== true) this.#spots.delete(oldest.value)
  }

  forget(place: Place): void {
    this.#spots.delete(keyOf(place))
  }
}

function keyOf(place: Place): string {
  return Buffer.from(packLocator(place)).toString('latin1')
}
