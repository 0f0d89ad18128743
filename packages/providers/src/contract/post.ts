import type { MessageRow } from '@postern/mail'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { compose } from './compose.ts'
import { callFor, keyOf, pageOf, writeCallFor } from './mailbox.ts'
import type { ContractPost, SendingMailbox } from './sending-mailbox.ts'

const patienceMs = 20_000
const pauseMs = 100

/** What has arrived at the other mailbox under this key: as soon as there is something, or what is there `now`. */
export async function arrived(
  { other }: Pick<ContractPost, 'other'>,
  key: string,
  when: 'soon' | 'now' = 'soon',
): Promise<readonly MessageRow[]> {
  const until = Date.now() + (when === 'now' ? 0 : patienceMs)
  for (;;) {
    const page = await other.adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(100), callFor())
    const rows = page.messages.filter((row) => keyOf(row) === key)
    if (rows.length > 0 || Date.now() >= until) return rows
    await sleep(pauseMs)
  }
}

/** Sends a message and waits for it: what was sent before it would have arrived by now. */
export async function sendProbe(
  { adapter, ownAddress, post }: Pick<SendingMailbox, 'adapter' | 'ownAddress' | 'post'>,
  key: string,
): Promise<void> {
  const message = compose({ key, from: ownAddress, to: [post.other.address] })
  assert.equal((await adapter.sendMessage(message, writeCallFor())).outcome, 'sent')
  assert.equal((await arrived(post, key)).length, 1)
}
