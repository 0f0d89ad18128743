import { atom, type Argument } from './wire.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** RFC 3501 9 `date`: `1-Feb-1994`, of the day in UTC. */
export function dayAtom(at: Date): Argument {
  return atom(`${at.getUTCDate()}-${months[at.getUTCMonth()] ?? ''}-${at.getUTCFullYear()}`)
}
