import type {
  AddressConfidence,
  AddressContext,
  ContactAddress,
  Relationship,
  RelationshipFacts,
  WindowFacts,
} from '@postern/contacts'
import { foldText } from '@postern/mail'
import type { Person } from './person.ts'

const freeMail: ReadonlySet<string> = new Set(
  'gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com icloud.com me.com aol.com gmx.de gmx.net web.de proton.me protonmail.com mail.ru yandex.ru qq.com 163.com'.split(
    ' ',
  ),
)
const roleMailbox = /^(?:info|sales|support|office|team|admin|billing|contact|hello|help|service)@/i

/** How sure it is that mail to the address reaches the person; the first row that holds. */
export function rateAddress(address: ContactAddress): AddressConfidence {
  if (address.hasBounced) return 'low'
  if (address.source !== 'derived') return 'high'
  const agree = address.named === 0 ? 0 : address.agreeing / address.named
  const isDoubtful =
    roleMailbox.test(address.addressKey) ||
    agree < 0.5 ||
    (address.out === 0 && (address.isAllForged || address.in === 0))
  if (isDoubtful) return 'low'
  if (address.out >= 1 && address.named >= 2 && agree >= 0.8) return 'high'
  return address.out >= 1 || (address.in >= 2 && address.days >= 2) ? 'medium' : 'low'
}

/** How close somebody is to the owner; the first row that holds. */
export function rateRelationship(facts: RelationshipFacts): Relationship {
  if (isTwoWay(facts.recent) && facts.recent.interactions >= 10 && facts.recent.days >= 5) return 'close'
  if (isTwoWay(facts.year) && facts.year.interactions >= 4 && facts.year.days >= 3) return 'regular'
  if ((facts.out > 0 && facts.in > 0) || (facts.out + facts.in >= 2 && facts.days >= 2)) return 'occasional'
  return facts.total > 0 ? 'minimal' : 'none'
}

function isTwoWay({ out, in: received, joint }: Pick<WindowFacts, 'out' | 'in' | 'joint'>): boolean {
  return (out > 0 && received > 0) || joint > 0
}

const confidenceOrder: readonly AddressConfidence[] = ['none', 'low', 'medium', 'high']

/** The address to write to, or null where there is none; `query` that is one of them is that one. */
export function chooseAddress(
  { addresses }: Pick<Person, 'addresses'>,
  context: AddressContext,
  query: string | null,
): ContactAddress | null {
  const wanted = query === null ? null : foldText(query.trim())
  const isAsked = (one: ContactAddress): number =>
    wanted !== null && foldText(one.addressKey) === wanted ? 1 : 0
  const fits = (one: ContactAddress): number => {
    if (context === 'any') return 1
    return freeMail.has(one.addressKey.slice(one.addressKey.lastIndexOf('@') + 1)) === (context === 'private')
      ? 1
      : 0
  }
  const [best] = addresses
    .filter(({ isExcluded }) => !isExcluded)
    .toSorted(
      (a, b) =>
        isAsked(b) - isAsked(a) ||
        fits(b) - fits(a) ||
        Number(b.isPreferred) - Number(a.isPreferred) ||
        confidenceOrder.indexOf(rateAddress(b)) - confidenceOrder.indexOf(rateAddress(a)) ||
        (b.lastOutAt?.getTime() ?? 0) - (a.lastOutAt?.getTime() ?? 0) ||
        (b.lastInAt?.getTime() ?? 0) - (a.lastInAt?.getTime() ?? 0) ||
        (a.addressKey < b.addressKey ? -1 : 1),
    )
  return best ?? null
}

/** The latest first, then by id. */
export function byLatest(a: Person, b: Person): number {
  const time = (b.lastContactedAt?.getTime() ?? 0) - (a.lastContactedAt?.getTime() ?? 0)
  if (time !== 0) return time
  const [first, second] = [a, b].map(
    ({ contactId, addresses }) => contactId ?? addresses[0]?.addressKey ?? '',
  )
  return (first ?? '') < (second ?? '') ? -1 : 1
}

export function rankPeople(
  people: readonly Person[],
  _query: { readonly text: string; readonly order: 'latest' | 'ranked' },
  _now: Date,
): readonly Person[] {
  return people.toSorted(byLatest)
}
