import { Fault } from '@postern/core'
import { cleanLine, rawText } from '@postern/mail'
import * as z from 'zod'
import { fitItems } from '../budget.ts'
import * as contactParams from '../contacts/contact-params.ts'
import {
  anyContactRow,
  maxLastInteractions,
  maxLoggedInteractions,
  renderContact,
  renderDetails,
  renderLog,
} from '../contacts/contact-row.ts'
import { findPeople } from '../contacts/find-people.ts'
import { readLines } from '../contacts/interaction-lines.ts'
import { tellPeople } from '../contacts/tell-people.ts'
import { defineAction, defineTool } from '../define-tool.ts'
import { cleanText } from '../outputs.ts'

/** Of all people together, as rows: as text they take less. */
const maxPeopleTokens = 18_000

const action = defineAction({
  action: null,
  effect: 'read',
  scopes: [['read:contacts', 'manage:contacts']],
  target: 'book',
  seconds: 25,
  input: z.strictObject({
    query: contactParams.proseQuery,
    context: contactParams.addressContext,
    format: contactParams.format,
    limit: contactParams.proseLimit,
  }),
  output: z.strictObject({
    query: cleanText,
    people: z.array(anyContactRow),
    total: z.number().int(),
    isFloor: z.boolean(),
    hasMore: z.boolean(),
    isDetailed: z.boolean(),
  }),
  example: { query: 'amy' },
  async run({ query, context: addressContext, format, limit }, context) {
    if (query === '') throw emptyQuery()
    const isDetailed = format === 'detailed'
    const interactions = isDetailed ? maxLoggedInteractions : maxLastInteractions
    const question = { text: query, order: 'ranked', limit, offset: 0, interactions } as const
    const page = await findPeople(question, context)
    const lines = await readLines(page.people, interactions, context)
    const view = { addressContext, query, lines, shown: maxLastInteractions }
    const rows = page.people.map((person) => ({
      ...renderContact(person, view),
      ...(isDetailed
        ? { ...renderDetails(person), interactions: renderLog(person, lines, context.deps.messageIdSigner) }
        : {}),
    }))
    const people = fitItems(rows, maxPeopleTokens)
    return {
      query: cleanLine(rawText(query)),
      people: [...people],
      total: page.total,
      isFloor: page.isEstimate,
      hasMore: page.hasMore || people.length < rows.length,
      isDetailed,
    }
  },
  prose: tellPeople,
})

function emptyQuery(): Fault {
  return new Fault('invalid_arguments', {
    public:
      'query must not be empty. It is part of a name, an address, a domain, an organisation or a role; nothing lists everybody.',
    details: { argument: 'query' },
  })
}

export const searchContacts = defineTool({
  name: 'search_contacts',
  title: 'Search contacts',
  description:
    'Finds people as contact_search does, told as text: best matches first, without counts and pages. detailed adds addresses, phones, postal addresses, note and a log.',
  isIdempotent: true,
  isBulk: false,
  toolset: 'compat',
  actions: [action],
})
