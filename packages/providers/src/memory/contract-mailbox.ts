import type { MessageRef } from '@postern/mail'
import type { ContractMailbox } from '../contract/mailbox.ts'
import { createMemoryAdapter, createMemoryMailbox, type MemoryFaults } from './index.ts'
import { packLocator } from './mailbox.ts'

const ownAddress = 'owner@contract.example'

/** An empty memory mailbox with the folders a provider gives a new user. */
export async function makeMemoryMailbox(faults: MemoryFaults = {}): Promise<ContractMailbox> {
  const mailbox = createMemoryMailbox([
    { path: 'Sent', role: 'sent' },
    { path: 'Trash', role: 'trash' },
    { path: 'Drafts', role: 'drafts' },
  ])
  const refOf = (key: string, folderId: string): MessageRef => {
    const folder = mailbox.findFolder(folderId)
    const message = folder?.messages.find(({ raw }) => Buffer.from(raw).includes(`Message-ID: <${key}@`))
    if (folder === undefined || message === undefined) throw new TypeError(`no message ${key}`)
    return { locator: packLocator(folder, message) }
  }
  return {
    adapter: createMemoryAdapter(mailbox, { ownAddresses: [ownAddress], faults }),
    ownAddress,
    addFolder: async (levels, spelling) =>
      mailbox.addFolder({
        path: levels.join('/'),
        ...(spelling === undefined ? {} : { folderId: spelling }),
      }),
    append: async (folderId, message) => mailbox.append(folderId, message).locator.length > 0,
    move: async (key, from, to) => void mailbox.move(refOf(key, from), to),
    markDeleted: async () => false,
    snapshot: async () =>
      JSON.stringify(
        mailbox
          .folders()
          .map(({ folderId, epoch, messages }) => [
            folderId,
            epoch,
            messages.map(({ number, flags, keywords }) => [number, flags, keywords]),
          ]),
      ),
    close: async () => undefined,
  }
}
