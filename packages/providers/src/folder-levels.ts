import { Fault, quote } from '@postern/core'

/** RFC 6855 3: controls, DEL and the two separators stand in no mailbox name. */
const forbidden = /[\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * The levels of a folder name that a caller chose, outermost first: `a/b` is `b` below `a`. In one spelling, so that
 * two that look alike are one (RFC 6855 3).
 * @throws invalid_arguments for an empty level, and for what no name may hold.
 */
export function folderLevels(name: string): readonly string[] {
  const levels = name.normalize('NFC').split('/')
  if (levels.includes('')) throw notAName(name, 'a level of it is empty')
  if (forbidden.test(name) || !name.isWellFormed()) throw notAName(name, 'it holds control characters')
  return levels
}

function notAName(name: string, reason: string): Fault {
  return new Fault('invalid_arguments', {
    public: `${quote(name)} cannot be the name of a folder: ${reason}. Levels are separated by "/". Nothing was changed.`,
  })
}
