import { Fault } from '@postern/core'
import type { ItemOutcome, MarkChange, MessageRef, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { actOnMessages, type ActOnTargets, type Result, type Target } from './act-on-messages.ts'
import { execWrite, isFailure } from './exec-write.ts'
import { misbehaved } from './faults.ts'
import { FetchedItems } from './fetch-line.ts'
import { packNumberSet } from './number-set.ts'
import { packLocator } from './locator.ts'
import type { OpenMailbox } from './pool.ts'
import type { ImapSession } from './session.ts'
import { atom, sequence, type Argument } from './wire.ts'

/** RFC 3501 9, flag-keyword: an atom. What it may hold beside letters and digits is left to servers. */
const keyword = /^[A-Za-z0-9$_.:+-]{1,100}$/

/**
 * Sets or clears a flag or keywords. What is so already is `unchanged`; what the server does not show to be so after
 * its OK is `unknown`.
 * @throws capability_unavailable (the server keeps no keywords), invalid_arguments (a label that is no keyword), provider_*.
 */
export async function setMarks(
  session: ImapSession,
  refs: readonly MessageRef[],
  change: MarkChange,
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  const wishes = wishesOf(change)
  const act: ActOnTargets = async (mailbox, targets) => {
    requireKeepable(mailbox, wishes)
    const results = new Map<Target, Result>()
    for (const target of targets)
      if (wishes.every((wish) => isSo(target.seen.flags, wish))) results.set(target, { status: 'unchanged' })
    const changing = targets.filter((target) => !results.has(target))
    if (changing.length > 0) await store(mailbox, { changing, wishes, results }, call)
    return results
  }
  return actOnMessages(session, refs, call, { act })
}

/** Flags or keywords to set or to clear. */
interface Wish {
  readonly isOn: boolean
  readonly names: readonly string[]
}

function wishesOf(change: MarkChange): readonly Wish[] {
  if (change.kind === 'flag')
    return [{ isOn: change.isOn, names: [change.flag === 'seen' ? '\\Seen' : '\\Flagged'] }]
  const bad = [...change.add, ...change.remove].find((name) => !keyword.test(name))
  if (bad !== undefined) {
    throw new Fault('invalid_arguments', {
      public:
        'A label of this mail server is one word of letters, digits and $ _ . : + -, of at most 100 characters. Nothing was changed.',
      details: { argument: change.add.includes(bad) ? 'add_labels' : 'remove_labels' },
    })
  }
  return [
    { isOn: true, names: change.add },
    { isOn: false, names: change.remove },
  ].filter(({ names }) => names.length > 0)
}

function isSo(flags: readonly string[], { isOn, names }: Wish): boolean {
  const set = new Set(flags.map((flag) => flag.toLowerCase()))
  return names.every((name) => set.has(name.toLowerCase()) === isOn)
}

/** RFC 3501 7.1, PERMANENTFLAGS: without `\\*` only the named ones last; not said at all, all do. */
function requireKeepable({ permanentFlags }: OpenMailbox, wishes: readonly Wish[]): void {
  if (permanentFlags === null) return
  const kept = new Set(permanentFlags.map((flag) => flag.toLowerCase()))
  const canKeep = (name: string): boolean =>
    kept.has(name.toLowerCase()) || (kept.has('\\*') && !name.startsWith('\\'))
  if (wishes.flatMap(({ isOn, names }) => (isOn ? names : [])).every(canKeep)) return
  throw new Fault('capability_unavailable', {
    public: 'The mail server keeps no such mark on messages of this folder. Nothing was changed.',
  })
}

interface Storing {
  readonly changing: readonly Target[]
  readonly wishes: readonly Wish[]
  readonly results: Map<Target, Result>
}

async function store(
  mailbox: OpenMailbox,
  { changing, wishes, results }: Storing,
  call: WriteCall,
): Promise<void> {
  const uids = changing.map(({ seen }) => seen.uid)
  const set = sequence(packNumberSet(uids))
  const shown = new FetchedItems({ by: 'uid', numbers: uids })
  const listen = {
    collect: ['FETCH', 'EXPUNGE'],
    onLine: (line: Parameters<FetchedItems['add']>[0]) => shown.add(line),
  }
  for (const { isOn, names } of wishes) {
    const args: readonly Argument[] = [set, atom(isOn ? '+FLAGS' : '-FLAGS'), names.map(atom)]
    const answer = await execWrite(mailbox.connection, { command: 'UID STORE', args }, call, listen)
    if (!isFailure(answer)) continue
    for (const target of changing) results.set(target, answer)
    return
  }
  // The answer to STORE shows the new flags; a server that kept them to itself is asked.
  if (shown.list().filter(({ flags }) => flags !== null).length < uids.length)
    await attempt(
      () =>
        mailbox.connection.run('UID FETCH', [set, [atom('UID'), atom('FLAGS')]], {
          ...listen,
          isPatient: true,
        }),
      { ...call, signal: new AbortController().signal },
      // What it does not show is told as unknown.
      () => true,
    )
  const flagsOf = new Map(shown.list().map(({ uid, flags }) => [uid, flags]))
  for (const target of changing) {
    const flags = flagsOf.get(target.seen.uid) ?? null
    const isDone = flags !== null && wishes.every((wish) => isSo(flags, wish))
    const newRef = { locator: packLocator(target.seen.place) }
    results.set(
      target,
      isDone
        ? { status: 'done', newRef }
        : { status: 'unknown', fault: misbehaved('STORE was confirmed but does not show') },
    )
  }
}
