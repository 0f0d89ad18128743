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
  const has = new Set<string>(keywords)
  return change.add.every((name) => has.has(name)) && !change.remove.some((name) => has.has(name))
}

function keywordsAfter(
  { keywords }: StoredMessage,
  { add, remove }: Extract<MarkChange, { kind: 'labels' }>,
): readonly string[] {
  return [...new Set([...keywords, ...add])].filter((name) => !remove.includes(name))
}
