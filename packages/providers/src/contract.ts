import { describe } from 'node:test'
import { describeArrivals } from './contract/arrivals.ts'
import { describeBehaviour } from './contract/behaviour.ts'
import { describeDrafts } from './contract/drafts.ts'
import { describeFolderChanges } from './contract/folder-changes.ts'
import { describeFolders } from './contract/folders.ts'
import { describeListing } from './contract/listing.ts'
import type { MakeMailbox } from './contract/mailbox.ts'
import { describeOrganising } from './contract/organising.ts'
import { describeReading } from './contract/reading.ts'
import { describeSearchDates } from './contract/search-dates.ts'
import { describeSearching } from './contract/searching.ts'
import { describeSearchOrder } from './contract/search-order.ts'
import { describeSendFaults } from './contract/send-faults.ts'
import { describeSending } from './contract/sending.ts'
import { describeThreads } from './contract/threads.ts'
import type { MakeSendingMailbox } from './contract/sending-mailbox.ts'

/**
 * The one suite that every adapter passes: what the port promises, seen from outside. `make` gives an empty mailbox
 * each time; the suite fills it by the mailbox's own door and looks at it through the adapter.
 */
export function describeAdapter(name: string, make: MakeMailbox): void {
  // One thing at a time in one mailbox, also where several adapters are tested at once.
  describe(`contract of the ${name} adapter`, { concurrency: 1 }, () => {
    describeFolders(make)
    describeListing(make)
    describeSearching(make)
    describeSearchOrder(make)
    describeSearchDates(make)
    describeReading(make)
    describeThreads(make)
    describeArrivals(make)
    describeOrganising(make)
    describeDrafts(make)
    describeFolderChanges(make)
    describeBehaviour(make)
  })
}

/** What an adapter promises of sending, from a mailbox that has a way out. */
export function describeSubmission(name: string, make: MakeSendingMailbox): void {
  describe(`contract of the ${name} adapter, sending`, { concurrency: 1 }, () => {
    describeSending(make)
    describeSendFaults(make)
  })
}
