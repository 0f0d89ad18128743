import { bodyEntity } from './body.ts'
import type { Conversation, Person, Turn } from './content.ts'
import { deliver, domainOf, messageIdOf, personOf, type Letter, type World } from './delivery.ts'
import { messageEntity, writeMessage, type Entity } from './mime.ts'
import type { SandboxMessage } from './sandbox-message.ts'
import { expandDates, momentOf, weeklyMoment } from './timeline.ts'

/** A turn with everything that follows from its place in the conversation. */
interface Placed {
  readonly turn: Turn
  readonly label: string
  readonly from: Person
  readonly date: Date
  readonly text: string
  readonly language: string
}

/** The messages of a conversation: each answers the one before, unless the mail is a weekly one. */
export function conversationMessages(world: World, conversation: Conversation): SandboxMessage[] {
  const placed = conversation.turns.map((turn, index) => placeTurn(world, conversation, turn, index))
  return placed.map((_, index) => deliver(world, letterOf(world, conversation, placed, index)))
}

function placeTurn(world: World, conversation: Conversation, turn: Turn, index: number): Placed {
  const date = conversation.weekly
    ? weeklyMoment(Number(turn.ago.split(' ')[0]), turn.ago.split(' ')[1] ?? '', index, world.now)
    : momentOf(turn.ago, world.now)
  const language = turn.language ?? conversation.language
  return {
    turn,
    label: `${conversation.id}/${index}`,
    from: personOf(world, turn.from),
    date,
    text: expandDates(turn.text.join('\n\n'), date, language),
    language,
  }
}

function letterOf(
  world: World,
  conversation: Conversation,
  placed: readonly Placed[],
  index: number,
): Letter {
  const current = placed[index]
  if (current === undefined) throw new RangeError(`no turn ${index}`)
  const { turn, label, from, date } = current
  const earlier = conversation.weekly ? [] : placed.slice(0, index)
  const { list } = conversation
  const isAnswered = !conversation.weekly && placed[index + 1]?.from.email === world.owner.email
  const folder = turn.folder ?? folderOf(world, conversation, from)
  return {
    label,
    head: {
      from,
      to: recipients(world, conversation, current, earlier.at(-1)),
      cc: turn.cc.map((name) => personOf(world, name)),
      ...(turn.replyTo === undefined ? {} : { replyTo: { name: '', email: turn.replyTo } }),
      subject: subjectOf(conversation, turn, earlier.length > 0),
      isRawSubject: turn.rawSubject,
      date,
      references: earlier.map((past) => messageIdOf(world, past.label, past.from)),
      ...(turn.charset === undefined ? {} : { charset: turn.charset }),
      extra: [...(list === undefined ? [] : listHeaders(list)), ...turn.extra],
    },
    entity: turnEntity(world, current, earlier.at(-1)),
    ...(folder === undefined ? {} : { folder }),
    verdict: turn.verdict,
    ...(list === undefined ? {} : { returnPath: `bounces@${domainOf(list.address)}` }),
    marks: [
      ...turn.marks,
      ...(isAnswered && from.email !== world.owner.email ? (['answered'] as const) : []),
    ],
  }
}

/** The owner's own turns lie in Sent, even of a conversation that is filed elsewhere; drafts stay drafts. */
function folderOf(world: World, conversation: Conversation, from: Person): string | undefined {
  const isOwn = from.email === world.owner.email
  return isOwn && conversation.folder !== 'Drafts' ? undefined : conversation.folder
}

function recipients(
  world: World,
  conversation: Conversation,
  current: Placed,
  previous: Placed | undefined,
): readonly Person[] {
  const { list } = conversation
  if (list !== undefined) return [{ name: list.name, email: list.address }]
  if (current.turn.to !== undefined) return current.turn.to.map((name) => personOf(world, name))
  return current.from.email === world.owner.email && previous !== undefined ? [previous.from] : [world.owner]
}

function subjectOf(conversation: Conversation, turn: Turn, isReply: boolean): string {
  if (turn.subject !== undefined) return turn.subject
  const tag = conversation.list === undefined ? '' : `[${conversation.list.name}] `
  const subject = `${tag}${conversation.subject}`
  return isReply && !/^(?:re|fwd):/i.test(conversation.subject) ? `Re: ${subject}` : subject
}

// RFC 2919 and RFC 2369: what list software adds.
function listHeaders(list: NonNullable<Conversation['list']>): readonly string[] {
  const domain = domainOf(list.address)
  return [
    `List-Id: ${list.name} <${list.listId}>`,
    `List-Post: <mailto:${list.address}>`,
    `List-Unsubscribe: <mailto:leave@${domain}>`,
    'Precedence: list',
  ]
}

function turnEntity(world: World, current: Placed, previous: Placed | undefined): Entity {
  const { turn, label } = current
  const text = turn.quote && previous !== undefined ? withQuote(world, current, previous) : current.text
  return bodyEntity(world, {
    label,
    form: turn.html === undefined ? turn.form : 'html',
    text: `${text}\n`,
    ...(turn.html === undefined ? {} : { html: turn.html.join('\n') }),
    charset: turn.charset,
    encoding: turn.encoding,
    picture: turn.picture,
    files: turn.files,
    attached: turn.forwards === undefined ? [] : [forwarded(world, label, turn.forwards)],
  })
}

function withQuote(world: World, current: Placed, previous: Placed): string {
  const attribution = world.content.attributions.get(current.language) ?? '{date} {name}:'
  const date = previous.date.toISOString().slice(0, 16).replace('T', ' ')
  const quoted = previous.text.split('\n').map((line) => (line === '' ? '>' : `> ${line}`))
  const introduced = attribution.replace('{date}', () => date).replace('{name}', () => previous.from.name)
  return `${current.text}\n\n${introduced}\n${quoted.join('\n')}`
}

function forwarded(world: World, label: string, inner: NonNullable<Turn['forwards']>): Entity {
  const date = momentOf(inner.ago, world.now)
  const from = personOf(world, inner.from)
  const raw = writeMessage(
    {
      from,
      to: [personOf(world, inner.to)],
      subject: inner.subject,
      date,
      messageId: messageIdOf(world, `${label}/inner`, from),
    },
    bodyEntity(world, {
      label: `${label}/inner`,
      form: 'plain',
      text: `${expandDates(inner.text.join('\n\n'), date, inner.language)}\n`,
    }),
    world.encode,
  )
  return messageEntity(raw, 'forwarded.eml')
}
