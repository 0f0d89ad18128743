import type { ContactCard } from '@postern/contacts'

/** A person of the book, or one that only a scan of the mailbox knows and who has no id yet. */
export type Person = Omit<ContactCard, 'contactId'> & { readonly contactId: string | null }
