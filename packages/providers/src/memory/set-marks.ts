import type { ItemOutcome, MarkChange, MessageRef, WriteCall } from '@postern/mail'
import { actOnMessages } from './act-on-messages.ts'
import type { StoredMessage } from './mailbox.ts'
import type { MemorySession } from './session.ts'

export async function setMarks(
  session: MemorySession,
  refs: readonly MessageRef[],
  change: MarkChange,
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  return actOnMessages(session, { verb: 'setMarks', refs }, call, ({ message }, ref) => {
    if (isSo(message, change)) return 'unchanged'
    if (change.kind === 'flag') session.mailbox.setFlags(ref, { [change.flag]: change.isOn })
    else session.mailbox.setKeywords(ref, keywordsAfter(message, change))
    return ref
  })
}

function isSo({ flags, keywords }: StoredMessage, change: MarkChange): boolean {
  if (change.kind === 'flag') return flags[change.flag] === change.isOn
  const has = keysOf(keywords)
  return [...keysOf(change.add)].every((key) => has.has(key)) && has.isDisjointFrom(keysOf(change.remove))
}

function keywordsAfter(
  { keywords }: StoredMessage,
  { add, remove }: Extract<MarkChange, { kind: 'labels' }>,
): readonly string[] {
  const [had, gone] = [keysOf(keywords), keysOf(remove)]
  const added = new Map(add.map((name) => [name.toLowerCase(), name]))
  return [...keywords, ...[...added].filter(([key]) => !had.has(key)).map(([, name]) => name)].filter(
    (name) => !gone.has(name.toLowerCase()),
  )
}

/** Keywords compare without regard to case (RFC 9051 2.3.2). */
function keysOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()))
}
