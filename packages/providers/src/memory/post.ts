import type { MemoryMailbox } from './mailbox.ts'

/** Whose INBOX receives what is sent to an address. Addresses compare without regard to case. */
export interface MemoryPost {
  register(address: string, mailbox: MemoryMailbox): void
  find(address: string): MemoryMailbox | undefined
}

/** The post between memory mailboxes. What goes to an address that nobody registered is accepted, and gone. */
export function createMemoryPost(addresses: Iterable<readonly [string, MemoryMailbox]> = []): MemoryPost {
  const mailboxes = new Map<string, MemoryMailbox>()
  const post: MemoryPost = {
    register: (address, mailbox) => void mailboxes.set(address.toLowerCase(), mailbox),
    find: (address) => mailboxes.get(address.toLowerCase()),
  }
  for (const [address, mailbox] of addresses) post.register(address, mailbox)
  return post
}
