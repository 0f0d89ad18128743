import { holdsScopes, type InboxRecord } from '@postern/access'
import type { Interaction } from '@postern/contacts'
import { withDeadline } from '@postern/core'
import {
  cleanLine,
  ownText,
  readMessageFields,
  type CleanText,
  type Found,
  type Message,
} from '@postern/mail'
import type { ActionContext } from '../define-tool.ts'
import { itemCall, settle } from '../settle.ts'
import type { Person } from './person.ts'

/** Headers that one call reads for its lines. */
export const maxFetches = 30
/** UTF-16 units of a line. */
const maxLine = 80

export const lineStatuses = ['ok', 'gone', 'unavailable', 'not_fetched', 'no_scope'] as const
export type LineStatus = (typeof lineStatuses)[number]

export interface InteractionLine {
  readonly line: CleanText | null
  readonly status: LineStatus
}

export type InteractionLines = (interaction: Interaction) => InteractionLine

const notFetched: InteractionLine = { line: null, status: 'not_fetched' }
const noScope: InteractionLine = { line: null, status: 'no_scope' }

/** Without asking anybody. */
export const noLines: InteractionLines = () => notFetched

/**
 * Subjects of what people and the owner wrote each other, read from the mailboxes now and kept nowhere: at most 30 of a
 * call, the newest of each person first. Messages of one inbox are asked for together.
 */
export async function readLines(
  people: readonly Person[],
  perPerson: number,
  context: ActionContext,
): Promise<InteractionLines> {
  const mayRead = {
    message: holdsScopes(context.principal, [['read:email', 'search:email']]),
    event: holdsScopes(context.principal, [['read:calendar']]),
  }
  const turns = Array.from({ length: perPerson }, (_, turn) =>
    people.flatMap(({ interactions }) => interactions[turn] ?? []),
  ).flat()
  const sought = mayRead.message ? turns.filter(({ kind }) => kind === 'message').slice(0, maxFetches) : []
  const byInbox = Map.groupBy(sought, ({ inboxId }) => inboxId)
  const lines = new Map(
    (
      await Promise.all(
        [...byInbox].map(([inboxId, interactions]) => readInbox(inboxId, interactions, context)),
      )
    ).flat(),
  )
  return (interaction) => lines.get(interaction) ?? (mayRead[interaction.kind] ? notFetched : noScope)
}

type Read = readonly (readonly [Interaction, InteractionLine])[]

async function readInbox(
  inboxId: string,
  interactions: readonly Interaction[],
  context: ActionContext,
): Promise<Read> {
  const inbox = context.reachable.find((one) => one.inboxId === inboxId)
  if (inbox === undefined) return []
  const call = itemCall(context.call)
  const { value: found } = await settle(
    () => withDeadline(fetchAll(inbox, interactions, context), call.deadline, call.signal),
    call,
  )
  return interactions.map((interaction, index) => [interaction, tell(found?.[index])])
}

async function fetchAll(
  inbox: InboxRecord,
  interactions: readonly Interaction[],
  context: ActionContext,
): Promise<readonly Found<Message>[]> {
  const mail = await context.openMail(inbox)
  return mail.getMessages(
    interactions.map(({ locator }) => ({ locator })),
    itemCall(context.call),
  )
}

function tell(found: Found<Message> | undefined): InteractionLine {
  if (found?.isFound === true) {
    const { subject } = readMessageFields(found.value.headers, found.value.tree)
    return { line: cleanLine(subject, maxLine), status: 'ok' }
  }
  return found?.fault.code === 'message_not_found'
    ? { line: ownText('(message no longer available)'), status: 'gone' }
    : { line: ownText('(could not be read just now)'), status: 'unavailable' }
}
