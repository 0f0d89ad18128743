import { Fault } from '@postern/core'
import type { Anchor, Call, FolderId, ListPage, PageRequest } from '@postern/mail'
import { countBelow } from './count-below.ts'
import { requireOk } from './faults.ts'
import type { FetchedMessage, FetchWish } from './fetch-messages.ts'
import { fetchRows, withRowWish } from './fetch-rows.ts'
import { folderDigest, unpackLocator } from './locator.ts'
import { toRow } from './message-row.ts'
import type { OpenMailbox } from './pool.ts'
import { searchNumbers } from './search-numbers.ts'
import { withFolder, type ImapSession } from './session.ts'
import { atom } from './wire.ts'

interface Listing {
  readonly session: ImapSession
  readonly mailbox: OpenMailbox
  readonly page: PageRequest
  readonly wish: FetchWish
}

/**
 * The newest arrivals of one folder: EXAMINE and one FETCH of a sequence range, with `isUnreadOnly` a SEARCH
 * UNSEEN between. Arrival order is that of sequence numbers (RFC 3501 2.3.1.1), so nothing has to be sorted.
 */
export async function listMessages(
  session: ImapSession,
  { folderId, isUnreadOnly }: { folderId: FolderId; isUnreadOnly: boolean },
  page: PageRequest,
  call: Call,
): Promise<ListPage> {
  return withRowWish(call, (wish) =>
    withFolder(session, { folderId, view: 'now' }, call, (mailbox) => {
      const listing: Listing = { session, mailbox, page, wish }
      return isUnreadOnly ? listUnread(listing) : listAll(listing)
    }),
  )
}

async function listAll(listing: Listing): Promise<ListPage> {
  const { mailbox, page } = listing
  const rows = page.after === null ? await firstPage(listing) : await nextPage(listing, page.after)
  return { messages: rows.messages.map(toRow), total: mailbox.exists, hasMore: rows.lowest > 1 }
}

interface Rows {
  /** Newest first. */
  readonly messages: readonly FetchedMessage[]
  /** Lowest sequence number of the page; the next one begins below it, whether it was answered for or not. */
  readonly lowest: number
}

async function firstPage(listing: Listing): Promise<Rows> {
  const { mailbox, page } = listing
  return fetchBelow(listing, mailbox.exists - page.offset + 1)
}

/** The `limit` messages below a sequence number. */
async function fetchBelow(listing: Listing, ceiling: number): Promise<Rows> {
  if (ceiling <= 1) return { messages: [], lowest: 1 }
  const lowest = Math.max(1, ceiling - listing.page.limit)
  return { messages: await fetchRange(listing, lowest, ceiling - 1), lowest }
}

/**
 * The page below an anchor. Its rank is where it stood: arrivals leave that as it is, expunges lower it. So the
 * range from there down is fetched at once, with the anchor itself to see that nothing lies between; what turns
 * out to be missing at the lower end takes one more FETCH.
 */
async function nextPage(listing: Listing, anchor: Anchor): Promise<Rows> {
  const { mailbox, page } = listing
  const uid = anchorUid(mailbox, anchor)
  const top = Math.min(anchor.rank ?? Infinity, mailbox.exists)
  if (top < 1) return { messages: [], lowest: 1 }
  const bottom = Math.max(1, top - page.limit)
  const seen = await fetchRange(listing, bottom, top)
  const below = seen.filter((row) => row.uid < uid)
  const isHintGood = top === mailbox.exists || (seen[0]?.sequence === top && seen[0].uid >= uid)
  const last = below[page.limit - 1]
  if (isHintGood && last !== undefined) return { messages: below.slice(0, page.limit), lowest: last.sequence }
  if (isHintGood && bottom === 1) return { messages: below, lowest: 1 }
  if (!isHintGood || below.length === 0) return fetchBelow(listing, (await countBelow(mailbox, uid)) + 1)
  const rest = await fetchBelow({ ...listing, page: { ...page, limit: page.limit - below.length } }, bottom)
  return { messages: [...below, ...rest.messages], lowest: rest.lowest }
}

async function listUnread(listing: Listing): Promise<ListPage> {
  const { mailbox, page } = listing
  const found = await mailbox.connection.run('UID SEARCH', [atom('UNSEEN')], {
    collect: ['SEARCH'],
    isPatient: true,
  })
  const unread = [...searchNumbers(requireOk(found, 'UID SEARCH').lines)].sort((a, b) => b - a)
  const ceiling = page.after === null ? Infinity : anchorUid(mailbox, page.after)
  const below = unread.filter((uid) => uid < ceiling).slice(page.offset)
  const uids = below.slice(0, page.limit)
  const rows = await fetchRows(listing.session, mailbox, { by: 'uid', numbers: uids, wish: listing.wish })
  return { messages: rows.map(toRow), total: unread.length, hasMore: below.length > uids.length }
}

/** @throws cursor_expired when the folder was rebuilt: its UIDs say nothing any more (RFC 3501 2.3.1.1). */
function anchorUid(mailbox: OpenMailbox, { tie }: Anchor): number {
  const place = unpackLocator({ locator: Buffer.from(tie, 'hex') })
  if (place?.uidValidity === mailbox.uidValidity && place.folder === folderDigest(mailbox.folderId))
    return place.uid
  throw new Fault('cursor_expired', {
    public: 'The folder was rebuilt by the mail server since this cursor was made. Start again without it.',
  })
}

function fetchRange(listing: Listing, bottom: number, top: number): Promise<readonly FetchedMessage[]> {
  const { session, mailbox, wish } = listing
  return fetchRows(session, mailbox, { by: 'sequence', numbers: range(bottom, top), wish })
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
