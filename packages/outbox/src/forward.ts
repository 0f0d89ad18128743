import { Fault } from '@postern/core'
import { cleanLine, type Address } from '@postern/mail'
import type { Letter, OwnText } from './letter.ts'
import type { Mailbox, Recipients } from './mailbox.ts'
import type { Original } from './original.ts'
import type { OutgoingFile } from './outgoing-file.ts'
import { formatDate, joinTexts } from './quote.ts'
import { answerLinks } from './reply.ts'
import { sign, type Signature } from './signature.ts'
import { forwardSubject } from './subject.ts'
import { appendHtml, escapeHtml, textToHtml } from './text-to-html.ts'

/** Longest text or markup of an original that is forwarded in place. Nothing of it is left out in silence. */
export const maxForwardedChars = 1_000_000

const marker = '---------- Forwarded message ----------'
/** Addresses of one header that are named; a list of thousands says no more than its beginning. */
const maxNamed = 50

export interface ForwardInit {
  readonly own: OwnText
  readonly from: Mailbox
  readonly recipients: Recipients
  readonly replyTo: Mailbox | null
  readonly signature: Signature | null
  readonly timezone: string
  /** The caller's own files, then those of the original that go along (`carryFile`). */
  readonly files: readonly OutgoingFile[]
}

/**
 * A message handed on in place: own text, signature, who wrote what is below and when, then its text. HTML comes along
 * where the original or the own text has it.
 * @throws message_too_large where the original is too long; nothing was sent.
 */
export function forward(original: Original, init: ForwardInit): Letter {
  requireForwardable(original)
  const own = sign(withHtml(init.own, original), init.signature)
  const head = describe(original, init.timezone)
  return {
    ...letterOf(original, init),
    text: joinTexts(
      own.text,
      [marker, ...head.map(([label, value]) => `${label}: ${value}`), '', original.text].join('\n'),
    ),
    html: own.html === null ? null : appendHtml(own.html, forwardHtml(original, head)),
    files: init.files,
  }
}

/** A message handed on as it was stored, octet for octet, below the own text. */
export function forwardAttached(original: Original, octets: Uint8Array, init: ForwardInit): Letter {
  const { text, html } = sign(init.own, init.signature)
  const name = cleanLine(original.fields.subject, 80)
    .replace(/[\s/\\:*?"<>|]+/g, ' ')
    .trim()
  const attached: OutgoingFile = {
    filename: `${name === '' ? 'message' : name}.eml`,
    mimeType: 'message/rfc822',
    contentId: null,
    isInline: false,
    octets,
  }
  return { ...letterOf(original, init), text, html, files: [...init.files, attached] }
}

function letterOf(original: Original, init: ForwardInit): Omit<Letter, 'text' | 'html' | 'files'> {
  return {
    from: init.from,
    replyTo: init.replyTo,
    ...init.recipients,
    subject: forwardSubject(original.fields.subject),
    // It answers nothing, and yet belongs to the conversation for the one who forwards: References says just that.
    inReplyTo: null,
    references: answerLinks(original.headers).references,
  }
}

function requireForwardable({ text, html }: Original): void {
  if (text.length <= maxForwardedChars && (html?.length ?? 0) <= maxForwardedChars) return
  throw new Fault('message_too_large', {
    public: `This message is too long to stand in another one: at most ${maxForwardedChars} characters do. Nothing was sent. as_attachment forwards it whole, as a file.`,
    details: { limit: maxForwardedChars, argument: 'as_attachment' },
  })
}

/** Own text gets an HTML form where the original has one, so that nothing of that is lost. */
function withHtml(own: OwnText, { html }: Original): OwnText {
  return own.html === null && html !== null ? { ...own, html: textToHtml(own.text) } : own
}

type HeadLine = readonly [label: string, value: string]

function describe(original: Original, timezone: string): readonly HeadLine[] {
  const { fields } = original
  const lines: readonly HeadLine[] = [
    ['From', nameAll(fields.from)],
    ['Date', formatDate(original, timezone)],
    ['Subject', cleanLine(fields.subject)],
    ['To', nameAll(fields.to)],
    ['Cc', nameAll(fields.cc)],
  ]
  return lines.filter(([, value]) => value !== '')
}

function nameAll(addresses: readonly Address[]): string {
  const named = addresses.slice(0, maxNamed).map(({ name, email }) => {
    const address = cleanLine(email, 254)
    return name === null ? address : `${cleanLine(name, 100)} <${address}>`
  })
  return addresses.length > maxNamed ? `${named.join(', ')}, ...` : named.join(', ')
}

function forwardHtml({ text, html }: Original, head: readonly HeadLine[]): string {
  const lines = head.map(([label, value]) => `<b>${label}:</b> ${escapeHtml(value)}`)
  return `<br><div>${marker}<br>\n${lines.join('<br>\n')}</div><br>\n<div>${html ?? textToHtml(text)}</div>`
}
