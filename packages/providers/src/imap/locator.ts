import { hash } from 'node:crypto'
import { findHeader, type FolderId, type HeaderField, type MessageRef } from '@postern/mail'
import { decodeModifiedUtf7 } from './modified-utf7.ts'

/** Where a message was, and by what it is known again. */
export interface Place {
  /** First octets of a digest of the folder's decoded name, in hexadecimal. */
  readonly folder: string
  readonly uidValidity: number
  readonly uid: number
  /** INTERNALDATE in seconds; COPY and MOVE keep it (RFC 3501 6.4.7). */
  readonly receivedSeconds: number
  /** Digest of the identity, in hexadecimal; all zero where the message has none that could be read. */
  readonly identity: string
}

const folderOctets = 6
const identityOctets = 8
const locatorOctets = folderOctets + 4 + 4 + 4 + identityOctets

export const noIdentity = '00'.repeat(identityOctets)

/** 26 octets: folder digest, UIDVALIDITY, UID, internal date, identity digest. */
export function packLocator(place: Place): Uint8Array {
  const octets = Buffer.alloc(locatorOctets)
  octets.write(place.folder, 0, folderOctets, 'hex')
  octets.writeUInt32BE(place.uidValidity, folderOctets)
  octets.writeUInt32BE(place.uid, folderOctets + 4)
  octets.writeUInt32BE(Math.min(0xffff_ffff, Math.max(0, place.receivedSeconds)), folderOctets + 8)
  octets.write(place.identity, folderOctets + 12, identityOctets, 'hex')
  return new Uint8Array(octets)
}

/** The place in a locator of this adapter, or null. */
export function unpackLocator({ locator }: MessageRef): Place | null {
  if (locator.length !== locatorOctets) return null
  const octets = Buffer.from(locator)
  return {
    folder: octets.toString('hex', 0, folderOctets),
    uidValidity: octets.readUInt32BE(folderOctets),
    uid: octets.readUInt32BE(folderOctets + 4),
    receivedSeconds: octets.readUInt32BE(folderOctets + 8),
    identity: octets.toString('hex', folderOctets + 12),
  }
}

/**
 * Digest of a folder's name. Taken of the decoded one, so that it stays the same when a server begins to
 * spell names in UTF-8 (RFC 6855). RFC 3501 5.1: INBOX is one name in every case.
 */
export function folderDigest(folderId: FolderId): string {
  const name = /^inbox$/i.test(folderId) ? 'INBOX' : decodeModifiedUtf7(folderId)
  return digest('folder', name).slice(0, folderOctets * 2)
}

/** What a message can be known by, as far as it was fetched. */
export interface Traits {
  readonly emailId: string | null
  readonly headers: readonly HeaderField[]
  readonly sizeBytes: number | null
  /** The header block was cut off: that a field is not there proves nothing. */
  readonly isCut: boolean
}

/**
 * Every identity of a message, the best first: EMAILID, Message-ID, else sender, date, subject and size. An id
 * made with one of them is found by it later, also when the server has learned a better one meanwhile.
 */
export function identitiesOf({ emailId, headers, sizeBytes, isCut }: Traits): readonly string[] {
  const identities = emailId === null ? [] : [digest('email_id', emailId)]
  if (isCut) return identities
  const messageId = findHeader(headers, 'Message-ID')?.trim() ?? ''
  if (messageId !== '') return [...identities, messageIdDigest(messageId)]
  const words = ['From', 'Date', 'Subject'].map((name) => findHeader(headers, name)?.trim() ?? '')
  return [...identities, digest('words', JSON.stringify([...words, sizeBytes]))]
}

/** The identity of a message by its Message-ID alone. */
export function messageIdDigest(rfcMessageId: string): string {
  return digest('message_id', rfcMessageId.trim())
}

function digest(purpose: string, text: string): string {
  return hash('sha256', `${purpose}\0${text}`, 'hex').slice(0, identityOctets * 2)
}
