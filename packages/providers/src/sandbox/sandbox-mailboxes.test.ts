import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MemoryMailbox } from '../memory/index.ts'
import { packLocator } from '../memory/mailbox.ts'
import { createSandboxMailboxes } from './sandbox-mailboxes.ts'

const startedAt = new Date('2026-11-30T19:45:00Z')
const identity = { inboxId: 'inbox-a', ownerAddress: 'robin@sandbox.example', startedAt }

function locators(mailbox: MemoryMailbox): string[] {
  return mailbox
    .folders()
    .flatMap((folder) => folder.messages.map((one) => Buffer.from(packLocator(folder, one)).toString('hex')))
}

test('an open sandbox is built once', async () => {
  const mailboxes = createSandboxMailboxes()
  const [first, second] = await Promise.all([mailboxes.open(identity), mailboxes.open(identity)])
  assert.equal(first, second)
})

test('a sandbox that was dropped comes back with the same message ids', async () => {
  const mailboxes = createSandboxMailboxes(1)
  const first = await mailboxes.open(identity)
  await mailboxes.open({ ...identity, inboxId: 'inbox-b' })
  const again = await mailboxes.open(identity)
  assert.notEqual(again, first)
  assert.deepEqual(locators(again), locators(first))
})

test('what happens in one inbox is not seen in another', async () => {
  const mailboxes = createSandboxMailboxes()
  const first = await mailboxes.open(identity)
  const second = await mailboxes.open({ ...identity, inboxId: 'inbox-b' })
  const [folder] = first.folders()
  const [message] = folder?.messages ?? []
  assert.ok(folder !== undefined && message !== undefined)
  first.remove({ locator: packLocator(folder, message) })
  assert.equal(locators(second).length, locators(first).length + 1)
})

test('folders inside a folder have a parent that holds no mail', async () => {
  const mailbox = await createSandboxMailboxes().open(identity)
  const parent = mailbox.findFolder('Projects')
  assert.equal(parent?.isSelectable, false)
  assert.ok(mailbox.findFolder('Projects/Lease')?.messages.length)
})
