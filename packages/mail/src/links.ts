/** How links stand in text: not at all, as the host they lead to, or as the whole address. */
export const linksModes = ['none', 'hosts', 'full'] as const
export type LinksMode = (typeof linksModes)[number]

/** Where a link really leads. `host` is ASCII (punycode) and carries a port that is not the scheme's own. */
export type LinkTarget =
  | { readonly kind: 'web'; readonly host: string; readonly url: string }
  | { readonly kind: 'mail'; readonly address: string }

const maxHrefChars = 16_384
const maxUrlChars = 2_048
const bareHost = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[/?#]|$)/u

/**
 * The target of an `href`, or null for what is not a link out of the message: `javascript:`, `data:`, `cid:`,
 * fragments, relative paths, schemes nobody opens from a mail. User names are left out: they only imitate hosts.
 * Nothing is resolved or fetched.
 */
export function readLinkTarget(href: string): LinkTarget | null {
  const text = href.trim()
  if (text === '' || text.length > maxHrefChars) return null
  const url = URL.parse(absolute(text))
  if (url === null) return null
  if (url.protocol === 'mailto:') {
    const address = url.pathname.trim()
    return address === '' ? null : { kind: 'mail', address }
  }
  if (!['http:', 'https:', 'ftp:'].includes(url.protocol) || url.hostname === '') return null
  url.username = ''
  url.password = ''
  return { kind: 'web', host: url.host, url: url.href }
}

function absolute(href: string): string {
  if (/^[\\/]{2}/.test(href)) return `https:${href}`
  return bareHost.test(href) ? `http://${href}` : href
}

/**
 * What stands behind the text of a link so that the text cannot lie: nothing, ` (host)` or ` <address>`. A text that
 * names another host than the true one is always corrected, in every mode.
 */
export function describeLink(text: string, target: LinkTarget, mode: LinksMode): string {
  if (target.kind === 'mail') return describeMail(text, target.address, mode)
  if (mode === 'full') return isSameUrl(text.trim(), target.url) ? '' : ` <${cutUrl(target.url)}>`
  const shown = shownHosts(text)
  const isTrue = shown.every((host) => host === withoutWww(target.host))
  if (isTrue && (mode === 'none' || shown.length > 0)) return ''
  return ` (${target.host})`
}

function describeMail(text: string, address: string, mode: LinksMode): string {
  if (text.toLowerCase().includes(address.toLowerCase())) return ''
  return mode === 'none' && !text.includes('@') ? '' : ` (${address})`
}

function isSameUrl(text: string, url: string): boolean {
  return text.length <= maxHrefChars && URL.parse(text)?.href === url
}

function cutUrl(url: string): string {
  return url.length <= maxUrlChars ? url : `${url.slice(0, maxUrlChars)}\u2026`
}

/** Everything in a link's text that reads like a host, lower-case and without `www.`. Paths are no hosts. */
function shownHosts(text: string): readonly string[] {
  const words = text.slice(0, 500).split(/[\s<>()"'@,;]+/)
  const hosts = words.map((word) => word.replace(/^[a-z]{2,8}:\/\//i, '').split(/[/?#:\\]/, 1)[0] ?? '')
  return hosts
    .filter((host) => /^[\p{L}\p{N}][\p{L}\p{N}.-]*\.\p{L}{2,20}\.?$/u.test(host))
    .map((host) => withoutWww(host.toLowerCase().replace(/\.$/, '')))
}

function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host
}

const textUrl = /<?\bhttps?:[\\/]{2,}[^\s<>"]+>?/gi
// WHATWG URL: a backslash ends the authority as a slash does.
const authority = /^<?(https?:)[\\/]+([^\\/?#<>]{0,300})/i
const trailingPunctuation = /[).,;:!?'\]}*_]{1,20}$/
// Writing without spaces runs on behind an address; its letters are not mistaken for Latin ones.
const unspaced = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const imitating = new RegExp(
  `[^\\0-\\x7f${unspaced.map((script) => `\\p{Script_Extensions=${script}}`).join('')}]`,
  'u',
)

/**
 * Addresses that stand in running text: they stay as written, followed by the true host where the written one
 * misleads (user name before an @, letters of other scripts, numbers for an IP address). `none` leaves `[link]`.
 * Linear.
 */
export function renderTextLinks(text: string, mode: LinksMode): string {
  if (mode === 'none') return text.replace(textUrl, '[link]')
  return text.replace(textUrl, (written) => {
    const host = misledHost(written)
    return host === null ? written : `${written} (${host})`
  })
}

/** The true host where the written address shows another, else null. */
function misledHost(written: string): string | null {
  const match = authority.exec(written)
  const scheme = match?.[1]
  const shown = match?.[2]?.replace(trailingPunctuation, '').toLowerCase()
  if (scheme === undefined || shown === undefined) return null
  const host = URL.parse(`${scheme}//${shown}`)?.hostname
  if (host === undefined || host === '' || host === shown.replace(/:\d{0,5}$/, '')) return null
  return shown.includes('@') || imitating.test(shown) || /^[\x20-\x7e]*$/.test(shown) ? host : null
}
