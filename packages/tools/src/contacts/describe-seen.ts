import type {
  ContactAddress,
  Interaction,
  Observation,
  RelationshipFacts,
  Sighting,
  WindowFacts,
} from '@postern/contacts'
import { foldText } from '@postern/mail'
import type { Person } from './person.ts'

const dayMs = 86_400_000
const recentDays = 180
const yearDays = 365

/** One person met in one header. */
export interface Seen {
  readonly observation: Observation
  readonly inboxId: string
  readonly sighting: Sighting
}

/** A person as a few headers show them: no id, nothing of an owner. */
export function describeSeen(seen: readonly Seen[], now: Date, interactions: number): Person {
  const newest = seen.toSorted((a, b) => b.observation.at.getTime() - a.observation.at.getTime())
  const ofMessage = [...new Map(newest.map((one) => [one.observation, one])).values()]
  const name = nameIn(newest)
  return {
    contactId: null,
    source: 'derived',
    name,
    inboxIds: [...new Set(newest.map(({ inboxId }) => inboxId))],
    addresses: [...Map.groupBy(newest, ({ sighting }) => sighting.addressKey).values()].map((group) =>
      describeAddress(group, name),
    ),
    messageCount: ofMessage.length,
    lastContactedAt: ofMessage[0]?.observation.at ?? null,
    relationshipFacts: factsOf(ofMessage, now),
    interactions: ofMessage.slice(0, interactions).map(toInteraction),
    organization: null,
    birthday: null,
    note: null,
    roles: [],
    phones: [],
    postalAddresses: [],
  }
}

/** The newest name that somebody gave themselves, else the newest that others gave. */
function nameIn(newest: readonly Seen[]): string | null {
  const named = newest.filter(({ sighting }) => sighting.name !== null)
  const own = named.find(
    ({ sighting, observation }) => sighting.role === 'from' && observation.direction === 'in',
  )
  return (own ?? named[0])?.sighting.name ?? null
}

function describeAddress(newest: readonly Seen[], name: string | null): ContactAddress {
  const [first] = newest
  const outs = newest.filter(isOut)
  const ins = newest.filter(isIn)
  const named = newest.filter(({ sighting }) => sighting.name !== null)
  const own = name === null ? '' : foldText(name)
  return {
    addressKey: first?.sighting.addressKey ?? '',
    spelling: first?.sighting.spelling ?? '',
    source: 'derived',
    isPreferred: false,
    isExcluded: false,
    lastSeenAt: first?.observation.at ?? null,
    out: messages(outs),
    in: messages(ins),
    days: daysOf([...outs, ...ins]),
    named: named.length,
    agreeing: named.filter(({ sighting }) => foldText(sighting.name ?? '') === own).length,
    isAllForged: ins.length > 0 && ins.every(({ observation }) => observation.isAuthentic === false),
    lastOutAt: outs[0]?.observation.at ?? null,
    lastInAt: ins[0]?.observation.at ?? null,
    hasBounced: false,
  }
}

function factsOf(seen: readonly Seen[], now: Date): RelationshipFacts {
  const byHand = seen.filter(({ observation }) => !observation.isBulk)
  return {
    total: seen.length,
    out: byHand.filter(isOut).length,
    in: byHand.filter(isIn).length,
    days: daysOf(byHand),
    recent: windowOf(byHand, now, recentDays),
    year: windowOf(byHand, now, yearDays),
  }
}

function windowOf(seen: readonly Seen[], now: Date, days: number): WindowFacts {
  const since = now.getTime() - days * dayMs
  const within = seen.filter(({ observation }) => observation.at.getTime() >= since)
  return {
    out: within.filter(isOut).length,
    in: within.filter(isIn).length,
    joint: 0,
    interactions: within.length,
    days: daysOf(within),
  }
}

function isOut({ observation, sighting }: Seen): boolean {
  return observation.direction === 'out' && sighting.role !== 'from'
}

function isIn({ observation, sighting }: Seen): boolean {
  return observation.direction === 'in' && sighting.role === 'from'
}

function messages(seen: readonly Seen[]): number {
  return new Set(seen.map(({ observation }) => observation)).size
}

function daysOf(seen: readonly Seen[]): number {
  return new Set(seen.map(({ observation }) => Math.floor(observation.at.getTime() / dayMs))).size
}

function toInteraction({ observation, inboxId }: Seen): Interaction {
  const { kind, direction, at, locator } = observation
  return { kind, direction, at, inboxId, locator }
}
