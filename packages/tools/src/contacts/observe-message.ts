import type { InboxRecord } from '@postern/access'
import type { Observation, Sighting, SightingRole } from '@postern/contacts'
import {
  cleanLine,
  findHeader,
  readMessageFields,
  type Address,
  type FolderRole,
  type Message,
} from '@postern/mail'
import { createHash } from 'node:crypto'

const identityBytes = 16

/** What one message of a mailbox tells of people, as the book would take it; null where it tells nothing. */
export function observeMessage(
  message: Message,
  role: FolderRole | null,
  own: readonly string[],
  _inbox: InboxRecord,
): Observation | null {
  if (message.flags.draft) return null
  const fields = readMessageFields(message.headers, message.tree)
  const ownKeys = new Set(own.map((address) => address.toLowerCase()))
  const sightings = (
    [
      ['from', fields.from],
      ['to', fields.to],
      ['cc', fields.cc],
      ['bcc', role === 'sent' ? fields.bcc : []],
    ] as const
  ).flatMap(([kind, addresses]) => addresses.flatMap((one) => sight(kind, one, ownKeys)))
  if (sightings.length === 0) return null
  const named = `${findHeader(message.headers, 'Message-ID') ?? ''}\n${findHeader(message.headers, 'Date') ?? ''}`
  return {
    kind: 'message',
    identity: createHash('sha256').update(named).digest().subarray(0, identityBytes),
    locator: message.ref.locator,
    at: message.receivedAt,
    direction: role === 'sent' ? 'out' : 'in',
    sentFrom: null,
    isBulk: findHeader(message.headers, 'List-Id') !== null,
    isAuthentic: null,
    sightings,
  }
}

function sight(role: SightingRole, { name, email }: Address, own: ReadonlySet<string>): readonly Sighting[] {
  const spelling = cleanLine(email, 320)
  const addressKey = spelling.toLowerCase()
  if (!addressKey.includes('@') || own.has(addressKey)) return []
  const shown = name === null ? '' : cleanLine(name, 200)
  return [
    {
      role,
      spelling,
      addressKey,
      variantKey: addressKey,
      addressClass: /^no-?reply@/.test(addressKey) ? 'relay' : 'person',
      name: shown === '' || shown.toLowerCase() === addressKey ? null : shown,
      speaksFor: null,
    },
  ]
}
