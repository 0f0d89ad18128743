import type { Address } from './address.ts'
import { readAddressTokens, type AddressToken } from './address-tokens.ts'
import { decodeHeader } from './decode-header.ts'
import { rawText, type RawText } from './text.ts'

/**
 * The mailboxes of an address header, in order (octets as characters, as in `HeaderField`). Never throws.
 *
 * Names are decoded after the list is taken apart, so that no encoded comma or bracket can split or forge an
 * entry. Groups give their members; a comment is the name where there is no other; what has a name and no
 * address (`MAILER-DAEMON`) has the empty `email`. A comma inside an unquoted name belongs to the name:
 * `Doe, Jane <j@x>` is one mailbox.
 * Source: RFC 5322 3.4 and 4.4.
 */
export function parseAddresses(value: string, fallbackCharset: string | null): Address[] {
  return readMailboxes(value).map((mailbox) => {
    // An address may hold UTF-8 (RFC 6532), never an encoded word: one that looks like one stays as it is.
    const isPlain = !mailbox.email.includes('=?')
    const email = isPlain ? decodeHeader(mailbox.email, fallbackCharset) : rawText(mailbox.email)
    return { name: nameBeside(email, decodeHeader(mailbox.name, fallbackCharset)), email }
  })
}

/** As `parseAddresses`, of text that a caller wrote: characters are characters, encoded words are not decoded. */
export function parseAddressText(text: string): Address[] {
  return readMailboxes(text).map(({ name, email }) => ({
    name: nameBeside(rawText(email), rawText(name)),
    email: rawText(email),
  }))
}

/** The domain of an addr-spec, lower-case, or null where it has none. A quoted local part may hold an at sign. */
export function hostOf(email: string): string | null {
  const host = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const isHost = email.includes('@') && host !== '' && !/[\s"(),:;<>\\]/.test(host.replace(/^\[.*\]$/, 'x'))
  return isHost ? host : null
}

/** A name that only repeats the address says nothing. */
function nameBeside(email: RawText, name: RawText): RawText | null {
  return name === '' || name === email ? null : name
}

interface Mailbox {
  readonly name: string
  readonly email: string
}

/** What stands between two separators: words, at most one address in brackets, comments. */
interface Entry {
  words: AddressToken[]
  angle: string | null
  readonly comments: string[]
  /** Words behind the bracket: a second name, or the start of an entry whose comma is missing. */
  after: AddressToken[]
}

function newEntry(): Entry {
  return { words: [], angle: null, comments: [], after: [] }
}

/** Pieces of one list that are looked at: no header that is fetched holds more, unless it was made to keep its reader busy. */
const maxTokens = 40_000

function readMailboxes(value: string): Mailbox[] {
  const found: Mailbox[] = []
  // Entries without any address wait: the next one in brackets takes them into its name.
  let waiting: string[] = []
  let entry = newEntry()
  let isInGroup = false

  const settle = (): void => {
    for (const name of waiting.filter((text) => text !== '')) found.push({ name, email: '' })
    waiting = []
  }
  const close = (isComma: boolean): void => {
    if (entry.angle !== null) {
      const name = [...waiting, nameOf(entry)].filter((text) => text !== '').join(', ')
      waiting = []
      if (name !== '' || entry.angle !== '') found.push({ name, email: entry.angle })
    } else if (entry.words.some(isAt)) {
      settle()
      for (const mailbox of mailboxesOf(entry)) found.push(mailbox)
    } else if (entry.words.length > 0) {
      waiting.push(joinWords(entry.words))
    }
    if (!isComma) settle()
    entry = newEntry()
  }

  let left = maxTokens
  for (const token of readAddressTokens(value)) {
    if (left === 0) break
    left -= 1
    if (token.kind === 'comma') {
      close(true)
    } else if (token.kind === 'semicolon') {
      close(false)
      isInGroup = false
    } else if (token.kind === 'colon' && !isInGroup && isPhrase(entry)) {
      // A group: its name is not a mailbox, and neither is what waited before it.
      settle()
      entry = newEntry()
      isInGroup = true
    } else if (token.kind === 'angle') {
      if (entry.angle !== null) {
        // `a <x> b <y>`: the comma is missing, the words since belong to what follows.
        const words = entry.after
        entry.after = []
        close(true)
        entry.words = words
      }
      entry.angle = token.raw
    } else if (token.kind === 'comment') {
      entry.comments.push(token.text)
    } else {
      const words = entry.angle === null ? entry.words : entry.after
      words.push(token)
    }
  }
  close(false)
  return found
}

function isAt(token: AddressToken): boolean {
  return token.kind === 'atom' && token.raw.includes('@')
}

function isPhrase(entry: Entry): boolean {
  return entry.angle === null && joinWords(entry.words) !== '' && !entry.words.some(isAt)
}

/** The display name as written, quotes undone: the words before the bracket, else behind it, else a comment. */
function nameOf(entry: Entry): string {
  return (
    joinWords(entry.words) || joinWords(entry.after) || (entry.comments.find((text) => text !== '') ?? '')
  )
}

function joinWords(tokens: readonly AddressToken[]): string {
  return tokens
    .map((token) => token.text)
    .join('')
    .replace(/[ \t\r\n]+/g, ' ')
    .trim()
}

/**
 * An entry without brackets: the blank-separated words that hold an at sign are addresses, what stands before
 * one is its name. A single address may have its name behind it or in a comment.
 */
function mailboxesOf(entry: Entry): Mailbox[] {
  const found: Mailbox[] = []
  let name = ''
  for (const word of listWords(entry.words)) {
    if (word.some(isAt)) {
      found.push({ name: name.trim(), email: word.map((token) => token.raw).join('') })
      name = ''
    } else {
      name += ` ${joinWords(word)}`
    }
  }
  const rest = name.trim() || (entry.comments.find((text) => text !== '') ?? '')
  const [only] = found
  return found.length === 1 && only?.name === '' ? [{ name: rest, email: only.email }] : found
}

/** Tokens grouped into words: cut at white space, but not beside an at sign or a lone dot (RFC 5322 4.4). */
function listWords(tokens: readonly AddressToken[]): AddressToken[][] {
  const words: AddressToken[][] = []
  let isCut = true
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'blank') {
      const before = tokens[index - 1]?.raw ?? ''
      const behind = tokens[index + 1]?.raw ?? ''
      isCut = !(before.endsWith('@') || behind.startsWith('@') || before === '.' || behind === '.')
    } else {
      const last = words.at(-1)
      if (isCut || last === undefined) words.push([token])
      else last.push(token)
      isCut = false
    }
  }
  return words
}
