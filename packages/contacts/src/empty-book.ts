import { Fault } from '@postern/core'
import type { ContactBook } from './book.ts'

const refuse = (): Promise<never> =>
  Promise.reject(
    new Fault('capability_unavailable', {
      public:
        'This service keeps no contact book. Nothing was changed; contact_search looks into the mail itself.',
    }),
  )

/** Where nothing is kept of people: whoever asks is told that no header of any inbox has been read. */
export const emptyBook: ContactBook = {
  search: () => Promise.resolve({ cards: [], total: 0, isTotalFloor: false, hasMore: false }),
  get: (_scope, contactId) =>
    Promise.reject(
      new Fault('contact_not_found', {
        public: 'There is no such contact; contact_search shows those there are.',
        details: { contact_id: contactId.slice(0, 64) },
      }),
    ),
  findByAddresses: () => Promise.resolve(new Map()),
  findCounted: (_scope, _inboxId, identities) => Promise.resolve(identities.map(() => false)),
  create: refuse,
  update: refuse,
  delete: refuse,
  merge: refuse,
  coverage: ({ inboxIds }) =>
    Promise.resolve(
      inboxIds.map((inboxId) => ({
        inboxId,
        state: 'waiting' as const,
        covered: 0,
        total: 0,
        perMinute: null,
        lastReadAt: null,
        skipped: 0,
      })),
    ),
}
