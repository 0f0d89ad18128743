import type { FolderRole } from '@postern/mail'
import type { CharsetEncoder } from './charset-encoder.ts'
import type { Content, Person, Verdict, Who } from './content.ts'
import { writeMessage, type Entity, type Head } from './mime.ts'
import { sandboxAuthservId, type SandboxMessage } from './sandbox-message.ts'
import type { Seeded } from './seeded.ts'
import { formatDateHeader } from './timeline.ts'

/** What every builder needs: whose mailbox, when it is, and where chance comes from. */
export interface World {
  readonly owner: Person
  readonly now: Date
  readonly content: Content
  readonly seeded: Seeded
  readonly encode: CharsetEncoder
}

/** A message about to lie in the mailbox. `label` is unique: ids and boundaries are derived from it. */
export interface Letter {
  readonly label: string
  readonly head: Omit<Head, 'messageId' | 'trace' | 'zone'> & { readonly from: Person }
  readonly entity: Entity
  /** Left out: Sent for the owner's own mail, else INBOX. */
  readonly folder?: string
  readonly verdict?: Verdict
  /** Address that bounces go to (Return-Path), where it is not the author. Empty for a bounce itself. */
  readonly returnPath?: string
  readonly marks?: readonly ('unread' | 'flagged' | 'draft' | 'answered')[]
}

const roles = new Map<string, FolderRole>([
  ['INBOX', 'inbox'],
  ['Sent', 'sent'],
  ['Drafts', 'drafts'],
  ['Archive', 'archive'],
  ['Trash', 'trash'],
  ['Spam', 'spam'],
])

const unreadForMs = 26 * 3_600_000

/** The letter as it lies in its folder. New mail in INBOX and Spam is unread; the rest has been seen. */
export function deliver(world: World, letter: Letter): SandboxMessage {
  const { head, label } = letter
  const marks = letter.marks ?? []
  const isOwn = head.from.email === world.owner.email
  const folder = letter.folder ?? (isOwn ? 'Sent' : 'INBOX')
  const delay = isOwn ? 0 : world.seeded.integer(`${label}/delay`, 1, 9) * 1000
  const receivedAt = new Date(Math.min(head.date.getTime() + delay, world.now.getTime()))
  const isNew = world.now.getTime() - receivedAt.getTime() < unreadForMs
  const isUnread =
    !isOwn && (marks.includes('unread') || ((folder === 'INBOX' || folder === 'Spam') && isNew))
  return {
    folder,
    role: roles.get(folder) ?? null,
    flags: {
      seen: !isUnread,
      answered: marks.includes('answered'),
      flagged: marks.includes('flagged'),
      draft: marks.includes('draft'),
    },
    receivedAt,
    raw: writeMessage(
      {
        ...head,
        messageId: messageIdOf(world, label, head.from),
        ...(head.from.zone === undefined ? {} : { zone: head.from.zone }),
        trace: isOwn ? [] : traceOf(world, letter, receivedAt),
      },
      letter.entity,
      world.encode,
    ),
  }
}

/** The Message-ID (without brackets) of the letter with this label. */
export function messageIdOf(world: World, label: string, from: Person): string {
  return `${world.seeded.token(label, 20)}@${domainOf(from.email)}`
}

/** @throws RangeError for a name that the table of people does not have. */
export function personOf(world: World, who: Who): Person {
  if (typeof who !== 'string') return who
  const found = who === 'owner' ? world.owner : world.content.people.get(who)
  if (found === undefined) throw new RangeError(`nobody is called ${who}`)
  return found
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}

// What a receiving server writes above a message: RFC 5321 4.4 (Return-Path, Received), RFC 8601 (the verdict).
function traceOf(world: World, letter: Letter, receivedAt: Date): readonly string[] {
  const { head, label, verdict = 'pass' } = letter
  const domain = domainOf(head.from.email)
  const returnPath = letter.returnPath ?? head.from.email
  const host = `192.0.2.${world.seeded.integer(`${domain}/host`, 1, 254)}`
  const dkim = verdict === 'pass' ? `dkim=pass header.d=${domain}` : 'dkim=none'
  const dmarc = verdict === 'pass' || verdict === 'none' ? verdict : 'fail'
  return [
    `Return-Path: <${returnPath}>`,
    `Authentication-Results: ${sandboxAuthservId};\r\n` +
      ` spf=${verdict} smtp.mailfrom=${returnPath === '' ? `postmaster@${domain}` : returnPath};\r\n` +
      ` ${dkim};\r\n dmarc=${dmarc} header.from=${domain}`,
    `Received: from mail.${domain} (mail.${domain} [${host}])\r\n` +
      ` by ${sandboxAuthservId} with ESMTPS id ${world.seeded.token(`${label}/queue`, 12)}\r\n` +
      ` for <${world.owner.email}>; ${formatDateHeader(receivedAt, '+0000')}`,
  ]
}
