import { readAttribute, type HtmlElement } from './parse-html.ts'
import { wordSet } from './word-set.ts'

/** `container`: the element holds quoted history. `rest`: history begins here and goes on to the end of the mail. */
export type QuoteKind = 'container' | 'rest'

// Gmail, Yahoo, Proton, Tuta, Zoho, Thunderbird, Front, Fastmail, Outlook on the web.
const containerClasses = wordSet(
  'gmail_quote gmail_quote_container yahoo_quoted protonmail_quote tutanota_quote zmail_extra',
  'moz-cite-prefix front-blockquote fastmail-quoted-text moz-email-headers-table',
)
// Outlook for Mac, Outlook on the web and for phones.
const containerIds = wordSet('olk_src_body_section mail-editor-reference-message-container')
// Outlook, Hotmail, Zimbra, Roundcube.
const restIds = wordSet(
  'divrplyfwdmsg appendonsend stopspelling zwchr reply-intro ms-outlook-mobile-body-separator-line',
)
// Outlook 2007 and later: the header block of the answered mail hangs below a thin line of one of two colours.
const outlookRule = /border-top:\s{0,4}solid\s{1,4}#(?:b5c4df|e1e1e1)\s/i

/** How mail programs mark the history they quote, or null. Outlook puts `x_` before names that it carries over. */
export function readQuoteKind(element: HtmlElement): QuoteKind | null {
  if (element.attrs.length === 0) return null
  const id = bareName(readAttribute(element, 'id') ?? '')
  if (restIds.has(id)) return 'rest'
  if (containerIds.has(id)) return 'container'
  const names = (readAttribute(element, 'class') ?? '').slice(0, 500).split(/\s+/)
  if (names.some((name) => containerClasses.has(bareName(name)))) return 'container'
  if (element.tagName === 'blockquote' && readAttribute(element, 'type') === 'cite') return 'container'
  if (element.tagName === 'div' && outlookRule.test((readAttribute(element, 'style') ?? '').slice(0, 200)))
    return 'rest'
  return null
}

function bareName(name: string): string {
  return name
    .slice(0, 100)
    .toLowerCase()
    .replace(/^(?:x_)+/, '')
}
