import { withDeadline } from '@postern/core'
import type { Message, ReadMail } from '@postern/mail'
import type { ActionContext } from '../../define-tool.ts'
import { itemCall, settle, type Settled } from '../../settle.ts'
import { openMessage, type OpenedMessage, type OpenOptions } from './open-message.ts'
import type { ThreadItem } from './thread-message.ts'

/** Bodies brought at the same time; the pool of the adapter decides what really runs side by side. */
const parallel = 5

export interface ThreadPage {
  /** Newest first. */
  readonly messages: readonly Message[]
  /** Place of the first of them in the conversation, counted from its oldest. */
  readonly position: number
}

/**
 * The messages of a page with their bodies: one request for all, and one more for each whose text is long. One that
 * cannot be read stays, without what was not read.
 * @throws what went wrong with the first, when none could be read.
 */
export async function openThreadPage(
  mail: ReadMail,
  { messages, position }: ThreadPage,
  options: OpenOptions,
  context: ActionContext,
): Promise<readonly ThreadItem[]> {
  if (messages.length === 0) return []
  const call = itemCall(context.call)
  const found = await mail.getMessages(
    messages.map(({ ref }) => ref),
    context.call,
  )
  const open = async (each: (typeof found)[number]): Promise<Settled<OpenedMessage>> => {
    if (!each.isFound) return { value: null, fault: each.fault }
    const opening = openMessage(mail, each.value, options, call)
    return settle(() => withDeadline(opening, call.deadline, call.signal), call)
  }
  const settled: Settled<OpenedMessage>[] = []
  for (let start = 0; start < found.length; start += parallel) {
    settled.push(...(await Promise.all(found.slice(start, start + parallel).map(open))))
  }
  const [first] = settled
  if (first !== undefined && first.fault !== null && settled.every(({ fault }) => fault !== null)) {
    throw first.fault
  }
  return messages.map((message, index) => {
    const opened = settled[index]?.value ?? null
    return { message: opened?.message ?? message, position: position - index, opened }
  })
}
