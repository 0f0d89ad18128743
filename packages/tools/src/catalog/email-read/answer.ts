import type { InboxRecord } from '@postern/access'
import type { SearchPage } from '@postern/mail'
import type { Settled } from '../../settle.ts'

/** One inbox's page, or why it has none. */
export type Answer = { readonly inbox: InboxRecord } & Settled<SearchPage>
