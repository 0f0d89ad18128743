import type { Bounce, Invitation } from './content.ts'
import { deliver, domainOf, messageIdOf, personOf, type World } from './delivery.ts'
import { fileEntity, multipartEntity, textEntity, type Entity } from './mime.ts'
import type { SandboxMessage } from './sandbox-message.ts'
import { formatDateHeader, momentOf } from './timeline.ts'

const titles = { REQUEST: 'Invitation', CANCEL: 'Cancelled', REPLY: 'Accepted' } as const

/** An iTIP message (RFC 5546): text for people, the same as text/calendar for their clients, and as a file. */
export function invitationMessage(world: World, invitation: Invitation, index: number): SandboxMessage {
  const label = `event-${invitation.key}/${index}`
  const from = personOf(world, invitation.from)
  const date = momentOf(invitation.ago, world.now)
  const boundary = (level: string): string => `=_${world.seeded.token(`${label}/${level}`, 24)}`
  const octets = Buffer.from(calendarText(world, invitation, date), 'utf8')
  const plain = textEntity(`${invitation.text.join('\n\n')}\n`, world.encode)
  const calendar: Entity = {
    headers: [
      `Content-Type: text/calendar; charset=utf-8; method=${invitation.method}`,
      'Content-Transfer-Encoding: 8bit',
    ],
    body: octets,
  }
  const shown = multipartEntity('alternative', boundary('alternative'), [plain, calendar])
  const attachment = fileEntity({ name: 'invite.ics', type: 'application/ics', octets })
  return deliver(world, {
    label,
    head: {
      from,
      to: [world.owner],
      subject: `${titles[invitation.method]}: ${invitation.summary}`,
      date,
    },
    entity: multipartEntity('mixed', boundary('mixed'), [shown, attachment]),
  })
}

function calendarText(world: World, invitation: Invitation, sentAt: Date): string {
  const start = momentOf(invitation.start, world.now)
  const end = new Date(start.getTime() + invitation.minutes * 60_000)
  const guest = personOf(world, invitation.from)
  const isReply = invitation.method === 'REPLY'
  const organizer = isReply ? world.owner : guest
  const attendee = isReply ? guest : world.owner
  const lines = [
    'BEGIN:VCALENDAR',
    'PRODID:-//Sandbox//Calendar//EN',
    'VERSION:2.0',
    `METHOD:${invitation.method}`,
    'BEGIN:VEVENT',
    `UID:${world.seeded.token(`event/${invitation.key}`, 24)}@sandbox.example`,
    `DTSTAMP:${calendarTime(sentAt)}`,
    `DTSTART:${calendarTime(start)}`,
    `DTEND:${calendarTime(end)}`,
    ...(invitation.rule === undefined ? [] : [`RRULE:${invitation.rule}`]),
    `SUMMARY:${escapeText(invitation.summary)}`,
    `LOCATION:${escapeText(invitation.location)}`,
    `STATUS:${invitation.method === 'CANCEL' ? 'CANCELLED' : 'CONFIRMED'}`,
    `SEQUENCE:${invitation.method === 'CANCEL' ? 1 : 0}`,
    `ORGANIZER;CN="${organizer.name}":mailto:${organizer.email}`,
    `ATTENDEE;CN="${attendee.name}";PARTSTAT=${isReply ? 'ACCEPTED' : 'NEEDS-ACTION'}:mailto:${attendee.email}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return `${lines.map(foldLine).join('\r\n')}\r\n`
}

/** RFC 5545 3.3.5, form 2: UTC. */
function calendarTime(date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d+/g, '')
}

/** RFC 5545 3.3.11. */
function escapeText(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&')
}

/** RFC 5545 3.1: content lines of at most 75 octets; ours are ASCII. */
function foldLine(line: string): string {
  return (line.match(/.{1,72}/g) ?? []).join('\r\n ')
}

/** A delivery report (RFC 3464) for a message that the owner sent: words, machine-readable status, its header. */
export function bounceMessage(world: World, bounce: Bounce, index: number): SandboxMessage {
  const label = `bounce/${index}`
  const from = { name: 'Mail Delivery System', email: `mailer-daemon@mx.sandbox.example` }
  const date = momentOf(bounce.ago, world.now)
  const original = `<${messageIdOf(world, `${label}/original`, world.owner)}>`
  const isDelayed = bounce.action === 'delayed'
  const words = [
    isDelayed ? 'Your message has not been delivered yet.' : 'Your message could not be delivered.',
    `Recipient: ${bounce.to}\nReason: ${bounce.diagnostic}`,
    isDelayed ? 'You need not send it again.' : 'No further attempts will be made.',
  ]
  const status = [
    'Reporting-MTA: dns; mx.sandbox.example',
    `Arrival-Date: ${formatDateHeader(momentOf(bounce.sent, world.now), '+0000')}`,
    '',
    `Final-Recipient: rfc822; ${bounce.to}`,
    `Action: ${bounce.action}`,
    `Status: ${bounce.status}`,
    `Remote-MTA: dns; mail.${domainOf(bounce.to)}`,
    `Diagnostic-Code: smtp; ${bounce.diagnostic}`,
    '',
  ]
  const header = [
    `From: ${world.owner.name} <${world.owner.email}>`,
    `To: ${bounce.to}`,
    `Subject: ${bounce.subject}`,
    `Message-ID: ${original}`,
    '',
  ]
  const part = (type: string, lines: readonly string[]): Entity => ({
    headers: [`Content-Type: ${type}`],
    body: Buffer.from(lines.join('\r\n'), 'latin1'),
  })
  return deliver(world, {
    label,
    head: {
      from,
      to: [world.owner],
      subject: isDelayed ? 'Delayed: your message is still waiting' : 'Undelivered mail returned to sender',
      date,
      extra: ['Auto-Submitted: auto-replied'],
    },
    entity: multipartEntity('report; report-type=delivery-status', `=_${world.seeded.token(label, 24)}`, [
      textEntity(`${words.join('\n\n')}\n`, world.encode),
      part('message/delivery-status', status),
      part('text/rfc822-headers', header),
    ]),
    returnPath: '',
    verdict: 'none',
  })
}
