import { readMessageFields, type Call, type Criterion, type Message, type ReadMail } from '@postern/mail'
import { addressKey } from './addr-spec.ts'

/** Messages in Sent that are looked at for one address. */
const maxLooked = 20

/**
 * Whether the owner has written to an address before, by what lies in Sent: one search, and the headers of what it
 * finds, since a server finds `bob@acme.example` in `rob-bob@acme.example` too. What is still a draft, or is from
 * somebody else, was not sent by the owner, however it came to lie there.
 * @param own addresses of the owner.
 * @throws provider_*, timeout.
 */
export async function isKnownCorrespondent(
  mail: ReadMail,
  email: string,
  own: readonly string[],
  call: Call,
): Promise<boolean> {
  const folders = await mail.listFolders('known', call)
  const folderIds = folders.filter(({ role }) => role === 'sent').map(({ folderId }) => folderId)
  if (folderIds.length === 0) return false
  const named = (['to', 'cc', 'bcc'] as const).map((field): Criterion => ({
    kind: 'text',
    field,
    value: email,
  }))
  const page = { limit: maxLooked, offset: 0, after: null }
  const found = await mail.searchMessages({ criterion: { kind: 'or', of: named }, folderIds }, page, call)
  if (found.messages.length === 0) return false
  const refs = found.messages.map(({ message }) => message.ref)
  const messages = await mail.getMessages(refs, call)
  const ownKeys = new Set(own.map(addressKey))
  return messages.some((one) => one.isFound && wasSentTo(one.value, addressKey(email), ownKeys))
}

function wasSentTo({ flags, headers }: Message, key: string, own: ReadonlySet<string>): boolean {
  const { from, to, cc, bcc } = readMessageFields(headers)
  const isOwn = from.length > 0 && from.every(({ email }) => own.has(addressKey(email)))
  return isOwn && !flags.draft && [...to, ...cc, ...bcc].some((one) => addressKey(one.email) === key)
}
