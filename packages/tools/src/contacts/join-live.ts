import {
  type ContactAddress,
  type ContactCard,
  type Interaction,
  type Observation,
  type Sighting,
} from '@postern/contacts'
import { foldText } from '@postern/mail'
import type { ActionContext } from '../define-tool.ts'
import { bookScope } from './book-scope.ts'
import type { PeopleQuery } from './find-people.ts'
import { rankPeople } from './judge.ts'
import { describeSeen, type Seen } from './describe-seen.ts'
import type { LiveScan } from './live-scan.ts'
import type { Person } from './person.ts'

/**
 * People of the book with what a scan saw of them beyond it, and those whom the scan alone knows. A message that the book
 * has counted already, in that inbox or by another scan, adds nothing.
 */
export async function joinLive(
  cards: readonly ContactCard[],
  scans: readonly LiveScan[],
  query: PeopleQuery,
  context: ActionContext,
): Promise<{ readonly people: readonly Person[]; readonly added: number }> {
  const seen = await uncounted(scans, context)
  const groups = Map.groupBy(seen, ({ sighting }) => sighting.variantKey)
  const keys = [...new Set(seen.map(({ sighting }) => sighting.addressKey))]
  const known =
    keys.length === 0
      ? new Map<string, ContactCard>()
      : await context.deps.book.findByAddresses(bookScope(context), keys)
  const people = new Map<string, Person>(cards.map((card) => [card.contactId, card]))
  const wanted = foldText(query.text)
  let added = 0
  for (const [variantKey, group] of groups) {
    const card = group.map(({ sighting }) => known.get(sighting.addressKey)).find((one) => one !== undefined)
    const id = card?.contactId ?? variantKey
    const before = people.get(id) ?? card
    if (before === undefined && !group.some(({ sighting }) => isNamed(sighting, wanted))) continue
    if (!people.has(id)) {
      if (card !== undefined && !group.some(({ sighting }) => isNamed(sighting, wanted))) continue
      added += 1
    }
    const person = describeSeen(group, context.now, query.interactions)
    people.set(id, before === undefined ? person : extend(before, person, query.interactions))
  }
  return { people: rankPeople([...people.values()], query, context.now), added }
}

/** Each message once, wherever it was met. */
async function uncounted(scans: readonly LiveScan[], context: ActionContext): Promise<readonly Seen[]> {
  const scope = bookScope(context)
  const met = new Set<string>()
  const perScan = await Promise.all(
    scans.map(async ({ inbox, observations }) => {
      const identities = observations.map(({ identity }) => identity)
      const counted =
        identities.length === 0 ? [] : await context.deps.book.findCounted(scope, inbox.inboxId, identities)
      return observations.flatMap((observation, index) =>
        counted[index] === true ? [] : [{ observation, inboxId: inbox.inboxId }],
      )
    }),
  )
  return perScan.flat().flatMap(({ observation, inboxId }) => {
    const key = Buffer.from(observation.identity).toString('hex')
    if (met.has(key)) return []
    met.add(key)
    return peopleOf(observation).map((sighting) => ({ observation, inboxId, sighting }))
  })
}

/** Relays and lists are nobody; who is only answered to is no contact. */
function peopleOf({ sightings }: Observation): readonly Sighting[] {
  return sightings.filter(({ addressClass, role }) => addressClass === 'person' && role !== 'reply_to')
}

function isNamed({ spelling, addressKey, name }: Sighting, wanted: string): boolean {
  return [spelling, addressKey, name ?? ''].some((text) => foldText(text).includes(wanted))
}

/** A person of the book with newer mail. Days are added up, so that ratings may be a little above what a recount gives. */
function extend(card: Person, fresh: Person, interactions: number): Person {
  return {
    ...card,
    name: card.name ?? fresh.name,
    inboxIds: newestFirst(card, fresh),
    addresses: joinAddresses(card.addresses, fresh.addresses),
    messageCount: card.messageCount + fresh.messageCount,
    lastContactedAt: later(card.lastContactedAt, fresh.lastContactedAt),
    relationshipFacts: {
      ...sum(card.relationshipFacts, fresh.relationshipFacts),
      recent: sum(card.relationshipFacts.recent, fresh.relationshipFacts.recent),
      year: sum(card.relationshipFacts.year, fresh.relationshipFacts.year),
    },
    interactions: joinInteractions(card.interactions, fresh.interactions).slice(0, interactions),
  }
}

function newestFirst(card: Person, fresh: Person): readonly string[] {
  const isFresher = (fresh.lastContactedAt?.getTime() ?? 0) >= (card.lastContactedAt?.getTime() ?? 0)
  const [first, second] = isFresher ? [fresh, card] : [card, fresh]
  return [...new Set([...first.inboxIds, ...second.inboxIds])]
}

function joinAddresses(
  known: readonly ContactAddress[],
  fresh: readonly ContactAddress[],
): readonly ContactAddress[] {
  const others = fresh.filter((one) => !known.some(({ addressKey }) => addressKey === one.addressKey))
  const joined = known.map((address) => {
    const more = fresh.find(({ addressKey }) => addressKey === address.addressKey)
    if (more === undefined) return address
    return {
      ...address,
      ...sum(
        {
          out: address.out,
          in: address.in,
          days: address.days,
          named: address.named,
          agreeing: address.agreeing,
        },
        { out: more.out, in: more.in, days: more.days, named: more.named, agreeing: more.agreeing },
      ),
      isAllForged: address.isAllForged && more.isAllForged,
      lastOutAt: later(address.lastOutAt, more.lastOutAt),
      lastInAt: later(address.lastInAt, more.lastInAt),
      lastSeenAt: later(address.lastSeenAt, more.lastSeenAt),
    }
  })
  return [...joined, ...others]
}

function joinInteractions(a: readonly Interaction[], b: readonly Interaction[]): readonly Interaction[] {
  return [...a, ...b].toSorted((one, other) => other.at.getTime() - one.at.getTime())
}

function later(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b
  return a > b ? a : b
}

/** The numbers of both added up; whatever is no number is the first one's. */
function sum<T extends object>(a: T, b: T): T {
  const others = new Map(Object.entries(b))
  return Object.fromEntries(
    Object.entries(a).map(([name, value]: [string, unknown]) => {
      const other: unknown = others.get(name)
      return [name, typeof value === 'number' && typeof other === 'number' ? value + other : value]
    }),
  ) as T
}
