import { readMessageFields, type Address, type CleanText, type Message } from '@postern/mail'
import { fitItems } from '../../budget.ts'
import { renderPerson } from './message-row.ts'

const shown = { items: 50, tokens: 800 } as const

interface Person {
  readonly name: CleanText | null
  readonly email: CleanText
}

/** Everyone in From, To and Cc, each once: who wrote first, in the order in which they came in; and how many. */
export function listParticipants(messages: readonly Message[]): {
  readonly listed: readonly Person[]
  readonly count: number
} {
  const fields = messages.map(({ headers, tree }) => readMessageFields(headers, tree))
  const people = new Map<string, Address>()
  const add = (address: Address): void => {
    const key = address.email.toLowerCase()
    const known = people.get(key)
    if (known === undefined || (known.name === null && address.name !== null)) people.set(key, address)
  }
  for (const { from } of fields) from.forEach(add)
  for (const { to, cc } of fields) [...to, ...cc].forEach(add)
  const listed = fitItems([...people.values()].slice(0, shown.items).map(renderPerson), shown.tokens)
  return { listed, count: people.size }
}
