import { decodeText } from './charset.ts'
import { chooseBody } from './choose-body.ts'
import { decodeHeader } from './decode-header.ts'
import { foldText } from './fold-text.ts'
import { listHeaders } from './header.ts'
import { readMessageFields } from './message-fields.ts'
import type { Message } from './message.ts'
import { walkParts } from './part.ts'
import type { Criterion, TextField } from './search-query.ts'

/** What a criterion can ask about a message. The body is searched in those parts whose content is there. */
export type Matchable = Pick<
  Message,
  'folderId' | 'labels' | 'flags' | 'receivedAt' | 'sizeBytes' | 'headers' | 'tree'
>

/**
 * Whether a message satisfies a criterion. Text is sought as a fragment of decoded names, addresses, subjects and
 * body text, without regard to case (`foldText`); attachments and file names in the part tree. What is not known
 * (a size, a tree) satisfies nothing.
 * @param ownAddresses what `from:me` stands for.
 */
export function matchMessage(
  criterion: Criterion,
  message: Matchable,
  ownAddresses: readonly string[],
): boolean {
  const folded = new Map<TextField, readonly string[]>()
  const contains = (field: TextField, fragment: string): boolean => {
    const texts = folded.get(field) ?? readTexts(field, message).map(foldText)
    folded.set(field, texts)
    const wanted = foldText(fragment)
    return texts.some((text) => text.includes(wanted))
  }

  const matches = (part: Criterion): boolean => {
    if (part.kind === 'all' || part.kind === 'none') return part.kind === 'all'
    if (part.kind === 'and') return part.of.every(matches)
    if (part.kind === 'or') return part.of.some(matches)
    if (part.kind === 'not') return !matches(part.of)
    if (part.kind === 'text') return contains(part.field, part.value)
    if (part.kind === 'owner') return ownAddresses.some((address) => contains(part.field, address))
    return matchesFact(part, message)
  }
  return matches(criterion)
}

type Fact = Exclude<Criterion, { kind: 'all' | 'none' | 'and' | 'or' | 'not' | 'text' | 'owner' }>

/** Criteria that one stored fact of the message answers. */
function matchesFact(fact: Fact, message: Matchable): boolean {
  const { flags, receivedAt, sizeBytes, tree } = message
  switch (fact.kind) {
    case 'header':
      return listHeaders(message.headers, fact.name).some((value) =>
        includes(decodeHeader(value, null), fact.value),
      )
    case 'flag':
      return flags[fact.flag] === fact.isSet
    case 'keyword':
      // RFC 3501 2.3.2: keywords differ by more than case.
      return message.labels.some((label) => label.toLowerCase() === fact.keyword.toLowerCase())
    case 'folder':
      return message.folderId === fact.folderId
    case 'larger':
      return sizeBytes !== null && sizeBytes > fact.bytes
    case 'smaller':
      return sizeBytes !== null && sizeBytes < fact.bytes
    case 'since':
      return receivedAt >= fact.at
    case 'before':
      return receivedAt < fact.at
    case 'attachment':
      return tree !== null && chooseBody(tree).attachments.some(({ isInline }) => !isInline)
    case 'filename':
      return tree !== null && walkParts(tree).some(({ filename }) => includes(filename ?? '', fact.value))
  }
}

function includes(text: string, fragment: string): boolean {
  return foldText(text).includes(foldText(fragment))
}

/** Every text that a field is sought in; a fragment must lie within one of them. */
function readTexts(field: TextField, message: Matchable): readonly string[] {
  switch (field) {
    case 'subject':
      return [readMessageFields(message.headers, message.tree).subject]
    case 'from':
    case 'to':
    case 'cc':
    case 'bcc':
      return readAddresses(field, message)
    case 'body':
      return readBodies(message)
    case 'text': {
      const values = message.headers.map(({ value }) => decodeHeader(value, null))
      const { subject } = readMessageFields(message.headers, message.tree)
      const addresses = (['from', 'to', 'cc', 'bcc'] as const).flatMap((name) => readAddresses(name, message))
      return [...values, subject, ...addresses, ...readBodies(message)]
    }
  }
}

/** The header as it reads, and each mailbox of it in plain form: encoded or quoted names are found either way. */
function readAddresses(field: 'from' | 'to' | 'cc' | 'bcc', { headers }: Matchable): readonly string[] {
  const mailboxes = readMessageFields(headers)[field].map(({ name, email }) => `${name ?? ''} <${email}>`)
  return [...listHeaders(headers, field).map((value) => decodeHeader(value, null)), ...mailboxes]
}

function readBodies({ tree }: Matchable): readonly string[] {
  if (tree === null) return []
  return [...walkParts(tree)]
    .filter(({ type, content }) => content !== null && /^(?:text|message)\//.test(type))
    .map(({ content, params }) => decodeText(content ?? new Uint8Array(), params.get('charset') ?? null).text)
}
