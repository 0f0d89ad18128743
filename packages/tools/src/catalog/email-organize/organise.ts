import { Fault } from '@postern/core'
import type { MessageRef, MoveTarget, Whereabouts } from '@postern/mail'
import {
  changeMessages,
  outcomeOf,
  resultOf,
  summarise,
  undoOf,
  type Change,
  type FoundMessage,
  type Organised,
  type Result,
} from '../../change-messages.ts'
import type { ChangeMail, WriteContext, Written } from '../../define-tool.ts'
import { messageNotFound, requireRef, shownId } from '../../message-ids.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { settle } from '../../settle.ts'
import { destinationOf } from './destination.ts'

/**
 * Runs a verb on the messages that these ids stand for, and tells what became of each. An id that leads nowhere fails
 * alone; two ids of one message are one message.
 * @throws the first failure when nothing was changed and nothing is unknown.
 */
export async function organise(
  messageIds: readonly string[],
  context: WriteContext,
  change: Change,
): Promise<Written<Organised>> {
  const ids = [...new Set(messageIds)]
  const named = await Promise.all(
    ids.map(async (id) => ({ id, ...(await settle(async () => requireRef(id, context), context.call)) })),
  )
  return organiseNamed(named, context, change)
}

/** A message by the id that it is told under; null where the id leads nowhere, and why. */
interface Named {
  readonly id: string
  readonly value: MessageRef | null
  readonly fault: Fault | null
}

/** The same for what is known already. @throws as `organise`. */
export async function organiseNamed(
  named: readonly Named[],
  context: WriteContext,
  change: Change,
): Promise<Written<Organised>> {
  const mail = await context.openForChange(onlyInbox(context))
  const sources = await findSources(named, change, mail, context)
  const each = new Map(
    sources.flatMap(({ found }) => (found === null ? [] : [[keyOf(found.ref), found] as const])),
  )
  const keys = [...each.keys()]
  const changed = await changeMessages([...each.values()], mail, change, context)
  const outcomes = new Map(changed.outcomes.map((outcome, index) => [keys[index], outcome]))
  const results = sources.map(({ id, found, fault }): Result => {
    const outcome = found === null ? undefined : outcomes.get(keyOf(found.ref))
    return outcome === undefined
      ? { id, status: 'failed', fault: fault ?? messageNotFound(id) }
      : resultOf(id, outcome)
  })
  return {
    outcome: outcomeOf(results),
    own: { ...summarise(results, context, named.length === 1), ...undoOf(changed, context, change) },
    items: changed.items,
  }
}

/** The same for a verb that takes messages to a folder; the answer names it. */
export async function organiseInto(
  messageIds: readonly string[],
  destination: string,
  context: WriteContext,
  {
    verb,
    isReversible,
  }: {
    readonly verb: (
      mail: ChangeMail,
      refs: readonly MessageRef[],
      to: MoveTarget,
    ) => ReturnType<Change['verb']>
    readonly isReversible: boolean
  },
): Promise<Written<Organised>> {
  const to = await destinationOf(destination, await context.openForChange(onlyInbox(context)), context)
  const named = { destination_folder_id: to.folderId }
  const written = await organise(messageIds, context, {
    isReversible,
    about: named,
    verb: (mail, refs) => verb(mail, refs, to),
  })
  return { ...written, own: { ...named, ...written.own } }
}

interface Source {
  readonly id: string
  readonly found: FoundMessage | null
  readonly fault: Fault | null
}

async function findSources(
  named: readonly Named[],
  { needsCertainty = false }: Change,
  mail: ChangeMail,
  context: WriteContext,
): Promise<readonly Source[]> {
  const refs = named.flatMap(({ value }) => (value === null ? [] : [value]))
  const lookIn = needsCertainty ? 'certain_to_change' : 'anywhere_to_change'
  const located = refs.length === 0 ? [] : await mail.locateMessages(refs, lookIn, context.call)
  const byRef = new Map<MessageRef | null, Whereabouts>(located.map((one) => [one.ref, one]))
  return named.map(({ id, value, fault }) => {
    const { now = null, isDoubtful = false } = byRef.get(value) ?? {}
    return { id, found: now, fault: isDoubtful ? doubtful(id) : fault }
  })
}

/** Copies of one message are alike, and an id that has lost its address could mean any of them. */
function doubtful(id: string): Fault {
  return new Fault('message_not_found', {
    public:
      'The message is not where it was when this id was given, and others like it are in the mailbox: which of them is meant cannot be told, so none was changed. email_read list and search give current ids.',
    details: { message_id: shownId(id), reason: 'copies' },
  })
}

function keyOf({ locator }: MessageRef): string {
  return Buffer.from(locator).toString('hex')
}
