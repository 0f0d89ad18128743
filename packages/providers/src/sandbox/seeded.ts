import { createHash } from 'node:crypto'

/** Chance that is not: the same seed and label always give the same values, whatever was asked before. */
export interface Seeded {
  /** Lower-case hexadecimal, at most 64 characters. */
  token(label: string, length: number): string
  /** An integer from `low` to `high`, both included. */
  integer(label: string, low: number, high: number): number
}

export function createSeeded(seed: string): Seeded {
  const digest = (label: string): Buffer => createHash('sha256').update(`${seed}\0${label}`).digest()
  return {
    token: (label, length) => digest(label).toString('hex').slice(0, length),
    integer: (label, low, high) => low + (digest(label).readUInt32BE(0) % (high - low + 1)),
  }
}
