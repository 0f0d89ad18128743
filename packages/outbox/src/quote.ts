import { cleanLine, cutGraphemes, parseDateHeader } from '@postern/mail'
import type { OwnText } from './letter.ts'
import type { Original } from './original.ts'
import { appendHtml, escapeHtml, textToHtml } from './text-to-html.ts'

/** Longest text and markup of an original that an answer quotes; the rest is left out, and the quote says so. */
export const maxQuotedChars = 200_000
export const maxQuotedHtmlChars = 400_000

/** Begins a quote in HTML, as Thunderbird writes it: readers fold it away, and a draft is found to have one. */
export const htmlQuoteMark = '<div class="moz-cite-prefix">'

const leftOut = '[The rest of the quoted message is left out here.]'

/** An answer's own text above what it answers. The HTML form quotes in a blockquote, from clean markup only. */
export function appendQuote(own: OwnText, original: Original, timezone: string): OwnText {
  const attribution = `On ${formatDate(original, timezone)}, ${nameAuthor(original)} wrote:`
  const { text, isCut } = cutText(original.text)
  const quoted = quoteLines(isCut ? `${text}\n${leftOut}` : text)
  return {
    text: joinTexts(own.text, `${attribution}\n${quoted}`),
    html: own.html === null ? null : appendHtml(own.html, quoteHtml(original, attribution)),
  }
}

/** Two texts with a blank line between. */
export function joinTexts(above: string, below: string): string {
  const text = above.trimEnd()
  return text === '' ? below : `${text}\n\n${below}`
}

/** The day and time that a message says it was written, in the owner's time zone. */
export function formatDate({ fields, receivedAt }: Original, timezone: string): string {
  const written = fields.date === null ? null : parseDateHeader(fields.date)
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: timezone,
    timeZoneName: 'shortOffset',
  })
    .format(written ?? receivedAt)
    .replace(/GMT\+0$/, 'UTC')
}

function nameAuthor({ fields }: Original): string {
  const [author] = fields.from
  if (author === undefined) return 'the sender'
  const email = cleanLine(author.email, 254)
  const name = author.name === null ? '' : cleanLine(author.name, 100)
  if (name === '') return email === '' ? 'the sender' : email
  return email === '' ? name : `${name} <${email}>`
}

function cutText(whole: string): { readonly text: string; readonly isCut: boolean } {
  const text = cutGraphemes(whole.trimEnd(), maxQuotedChars)
  return { text, isCut: text.length < whole.trimEnd().length }
}

/** RFC 3676 4.5: no blank between the marks of a quote within a quote. Very short lines would otherwise grow threefold. */
function quoteLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' || line.startsWith('>') ? `>${line}` : `> ${line}`))
    .join('\n')
}

function quoteHtml({ text, html }: Original, attribution: string): string {
  // Markup cannot be cut where one likes; the text can.
  const isWhole = html !== null && html.length <= maxQuotedHtmlChars
  const cut = cutText(text)
  return blockquote(
    attribution,
    isWhole ? html : textToHtml(cut.isCut ? `${cut.text}\n${leftOut}` : cut.text),
  )
}

/** A quote of a text part, attribution and `>` lines, as HTML: one level of marks becomes the blockquote. */
export function quoteAsHtml(quote: string): string {
  const lines = quote.split('\n')
  const first = lines.findIndex((line) => line.startsWith('>'))
  if (first === -1) return blockquote('', textToHtml(quote))
  const inner = lines.slice(first).map((line) => line.replace(/^> ?/, ''))
  return blockquote(lines.slice(0, first).join(' ').trim(), textToHtml(inner.join('\n')))
}

function blockquote(attribution: string, inner: string): string {
  return (
    `<br>${htmlQuoteMark}${escapeHtml(attribution)}</div>` +
    `<blockquote type="cite" style="margin:0 0 0 .8ex;border-left:1px solid #ccc;padding-left:1ex">${inner}</blockquote>`
  )
}
