import { Fault } from '@postern/core'
import type { MessageRef } from '@postern/mail'
import type { Disturbance, SendingMailbox } from '../contract/sending-mailbox.ts'
import {
  createMemoryAdapter,
  createMemoryMailbox,
  createMemoryPost,
  type MemoryMailbox,
  type SubmissionFaults,
} from './index.ts'
import { packLocator } from './mailbox.ts'

const ownAddress = 'owner@contract.example'
const otherAddress = 'other@contract.example'
const refusedAddress = 'refused@contract.example'

/** An empty memory mailbox with the folders a provider gives a new user, and another to which it can write. */
export async function makeMemoryMailbox(): Promise<SendingMailbox> {
  const mailbox = createMemoryMailbox([
    { path: 'Sent', role: 'sent' },
    { path: 'Trash', role: 'trash' },
    { path: 'Drafts', role: 'drafts' },
  ])
  const other = createMemoryMailbox()
  const post = createMemoryPost([
    [ownAddress, mailbox],
    [otherAddress, other],
  ])
  const faults: { submission: SubmissionFaults } = { submission: faultsFor(null) }
  const refOf = (key: string, folderId: string): MessageRef => {
    const folder = mailbox.findFolder(folderId)
    const message = folder?.messages.find(({ raw }) => Buffer.from(raw).includes(`Message-ID: <${key}@`))
    if (folder === undefined || message === undefined) throw new TypeError(`no message ${key}`)
    return { locator: packLocator(folder, message) }
  }
  return {
    adapter: createMemoryAdapter(mailbox, { ownAddresses: [ownAddress], faults, post }),
    ownAddress,
    post: {
      other: { address: otherAddress, adapter: createMemoryAdapter(other) },
      refusedAddress,
      disturb: async (what) => {
        faults.submission = faultsFor(what)
      },
    },
    addFolder: async (levels, spelling) =>
      mailbox.addFolder({
        path: levels.join('/'),
        ...(spelling === undefined ? {} : { folderId: spelling }),
      }),
    append: async (folderId, message) => mailbox.append(folderId, message).locator.length > 0,
    move: async (key, from, to) => void mailbox.move(refOf(key, from), to),
    markDeleted: async () => false,
    snapshot: async () => snapshotOf(mailbox),
    close: async () => undefined,
  }
}

function snapshotOf(mailbox: MemoryMailbox): string {
  return JSON.stringify(
    mailbox
      .folders()
      .map(({ folderId, epoch, messages }) => [
        folderId,
        epoch,
        messages.map(({ number, flags, keywords }) => [number, flags, keywords]),
      ]),
  )
}

function faultsFor(what: Disturbance | null): SubmissionFaults {
  const refusedRecipients = new Map([[refusedAddress, { smtpCode: 550, enhancedCode: '5.1.1' }]])
  const unavailable = new Fault('provider_unavailable', { public: 'Ordered by the test.' })
  switch (what) {
    case null:
      return { refusedRecipients }
    case 'no_connection':
      return { refusedRecipients, connection: unavailable }
    case 'message_refused':
      return { refusedRecipients, refusedData: { smtpCode: 554, enhancedCode: '5.7.1' } }
    case 'answer_lost_delivered':
      return { refusedRecipients, lostAnswer: 'delivered' }
    case 'answer_lost_undelivered':
      return { refusedRecipients, lostAnswer: 'lost' }
    case 'copy_refused':
      return { refusedRecipients, sentCopy: unavailable }
  }
}
