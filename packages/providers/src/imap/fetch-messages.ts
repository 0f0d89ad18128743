import { mapInTurns } from '@postern/core'
import {
  parseHeaderBlock,
  rawText,
  type Flags,
  type Message,
  type Part,
  type Preview,
  type RawText,
} from '@postern/mail'
import { firstTextItems, withFirstTexts } from './first-texts.ts'
import { FetchedItems, type FetchedItem, type FetchSet } from './fetch-line.ts'
import { folderDigest, identitiesOf, noIdentity, packLocator, type Place } from './locator.ts'
import { partsOf } from './parts.ts'
import { packNumberSet } from './number-set.ts'
import type { ImapConnection, OpenMailbox } from './pool.ts'
import { requireAbsence, requireOk, requireReadable } from './faults.ts'
import { atom, bodyPeek, sequence, type Argument } from './wire.ts'

/** Octets of a header that are fetched; a sender can make it as long as they like. */
const maxHeaderOctets = 128 * 1024
/** Octets of the first part that are enough for a snippet. */
const previewOctets = 1_024
/** Octets that an answer may have: no honest page comes near, and a dishonest one must not fill the memory. */
const answerOctets = (count: number): number => Math.min(48, 2 + count / 4) * 1024 * 1024

export interface FetchWish {
  /** Header fields to bring. Message-ID, From, Date and Subject come along: a message is known by them. */
  readonly headers: readonly string[]
  readonly withPreview: boolean
  /** So many octets of the first texts of each message come along; see `first-texts.ts`. */
  readonly textOctets?: number
  /** Without it the tree is null: for a mailbox where one structure breaks the answer. */
  readonly withStructure: boolean
  /** Only what every server can say of every message, for one whose full answer did not come. */
  readonly isBare?: boolean
  /** A message must not pass for gone because its line could not be parsed. */
  readonly isStrict?: boolean
}

/** A message as it was fetched, with what an id needs beside the port's noun. */
export interface FetchedMessage {
  readonly message: Message
  readonly uid: number
  readonly sequence: number
  /** Flags and keywords as the server spells them. */
  readonly flags: readonly string[]
  readonly place: Place
  /** All identities of the message; `place.identity` is the first of them. */
  readonly identities: readonly string[]
  /** The header block was cut off at its bound. */
  readonly isCut: boolean
  /** Something that every server must say was missing or unreadable. */
  readonly isBroken: boolean
}

/**
 * Fetches messages of the open mailbox in one round trip, in the order in which the server answers. What the
 * server does not answer for is missing here; so is a message without a UID, which nothing could be asked of.
 * @throws provider_*, timeout.
 */
export async function fetchMessages(
  mailbox: OpenMailbox,
  asked: FetchSet,
  wish: FetchWish,
  folderName: RawText | null,
): Promise<readonly FetchedMessage[]> {
  const { by, numbers } = asked
  const items = new FetchedItems(asked)
  const command = by === 'uid' ? 'UID FETCH' : 'FETCH'
  const answer = await mailbox.connection.run(
    command,
    [sequence(packNumberSet(numbers)), listItems(mailbox.connection, wish)],
    {
      collect: by === 'uid' ? ['FETCH', 'EXPUNGE'] : ['FETCH'],
      onLine: (line) => items.add(line),
      maxOctets: answerOctets(numbers.length),
    },
  )
  if (items.list().length === 0) {
    if (by === 'uid' || wish.isBare) requireAbsence(answer)
    else requireOk(answer, command)
  }
  if (wish.isStrict && items.list().length < numbers.length) requireReadable(answer, command)
  if (wish.withPreview && !wish.isBare) learnPreviewSource(mailbox.connection, items.list())
  const named = items.list().flatMap((item) => (item.uid === null ? [] : [{ item, uid: item.uid }]))
  return mapInTurns(named, ({ item, uid }) => build(item, uid, { mailbox, wish, folderName }))
}

function listItems(connection: ImapConnection, wish: FetchWish): readonly Argument[] {
  const has = (name: string): boolean => connection.capabilities.has(name)
  const names = [...new Set(['Message-ID', 'From', 'Date', 'Subject', ...wish.headers])]
  const always = ['UID', 'FLAGS', 'INTERNALDATE', 'RFC822.SIZE'].map(atom)
  if (wish.isBare) return always
  return [
    ...always,
    ...(wish.withStructure ? [atom('BODYSTRUCTURE')] : []),
    ...(has('OBJECTID') ? [atom('EMAILID'), atom('THREADID')] : []),
    ...(has('X-GM-EXT-1') ? [atom('X-GM-MSGID'), atom('X-GM-THRID')] : []),
    bodyPeek([atom('HEADER.FIELDS'), names.map(atom)], [0, maxHeaderOctets]),
    ...(wish.withPreview ? previewItems(connection) : []),
    ...(wish.textOctets === undefined ? [] : firstTextItems(wish.textOctets)),
  ]
}

// A server may offer PREVIEW (RFC 8970) and never have one: Cyrus answers NIL for mail that was not delivered in a
// certain way. The first page of a connection asks for both, the next ones for what was of use. One set of
// capabilities belongs to one connection.
const previewSources = new WeakMap<ReadonlySet<string>, 'preview' | 'octets'>()

function previewItems({ capabilities }: ImapConnection): readonly Argument[] {
  const octets = bodyPeek([atom('1')], [0, previewOctets])
  if (!capabilities.has('PREVIEW')) return [octets]
  const source = previewSources.get(capabilities)
  return source === 'preview' ? [atom('PREVIEW')] : source === 'octets' ? [octets] : [atom('PREVIEW'), octets]
}

function learnPreviewSource({ capabilities }: ImapConnection, items: readonly FetchedItem[]): void {
  if (!capabilities.has('PREVIEW') || previewSources.has(capabilities)) return
  if (items.some(({ preview }) => preview !== null && preview !== ''))
    previewSources.set(capabilities, 'preview')
  else if (items.some(({ sections }) => sections.has('1'))) previewSources.set(capabilities, 'octets')
}

interface Context {
  readonly mailbox: OpenMailbox
  readonly wish: FetchWish
  readonly folderName: RawText | null
}

function build(item: FetchedItem, uid: number, { mailbox, wish, folderName }: Context): FetchedMessage {
  const headers = item.headers === null ? [] : parseHeaderBlock(item.headers).fields
  const isCut = item.headers === null || item.headers.length >= maxHeaderOctets
  const identities = identitiesOf({ ...item, headers, isCut })
  const receivedAt = item.internalDate ?? new Date(0)
  const place: Place = {
    folder: folderDigest(mailbox.folderId),
    uidValidity: mailbox.uidValidity,
    uid,
    receivedSeconds: Math.floor(receivedAt.getTime() / 1_000),
    identity: identities[0] ?? noIdentity,
  }
  return {
    uid,
    sequence: item.sequence,
    flags: item.flags ?? [],
    place,
    identities,
    isCut,
    isBroken: item.flags === null || item.internalDate === null || item.headers === null,
    message: {
      ref: { locator: packLocator(place) },
      folderId: mailbox.folderId,
      folderName,
      labels: (item.flags ?? []).filter((flag) => !flag.startsWith('\\')).map(rawText),
      flags: readFlags(item.flags ?? []),
      receivedAt,
      sizeBytes: item.sizeBytes,
      nativeThreadId: item.threadId,
      headers,
      tree: wish.withStructure ? treeOf(item, wish) : null,
      preview: wish.withPreview ? readPreview(item) : null,
    },
  }
}

function treeOf({ structure, sections }: FetchedItem, { textOctets }: FetchWish): Part | null {
  const tree = partsOf(structure)
  return tree === null || textOctets === undefined ? tree : withFirstTexts(tree, sections, textOctets)
}

function readFlags(flags: readonly string[]): Flags {
  const set = new Set(flags.map((flag) => flag.toLowerCase()))
  return {
    seen: set.has('\\seen'),
    answered: set.has('\\answered'),
    flagged: set.has('\\flagged'),
    draft: set.has('\\draft'),
  }
}

/** The octets are those of section 1, a multipart or a leaf: whoever shows them asks the tree which. */
function readPreview({ preview, sections }: FetchedItem): Preview | null {
  if (preview !== null && preview !== '') return { kind: 'text', text: rawText(preview) }
  const octets = sections.get('1')
  return octets === undefined ? null : { kind: 'octets', partId: '1', octets }
}
