import { createCharsetEncoder } from './charset-encoder.ts'
import { readContent } from './content.ts'
import { conversationMessages } from './conversations.ts'
import type { World } from './delivery.ts'
import { bounceMessage, invitationMessage } from './events.ts'
import { newsletterMessages } from './newsletters.ts'
import { noticeMessages } from './notices.ts'
import type { SandboxMessage } from './sandbox-message.ts'
import { createSeeded } from './seeded.ts'

/**
 * The mailbox of Robin Hale, who runs a small lamp workshop, as the server would hold it at `now`: about
 * three hundred messages of the last four months, oldest first. The same owner and `now` give the same
 * octets, so that a mailbox may be thrown away and made again with its message ids unchanged.
 */
export async function createSandboxMailbox(
  ownerAddress: string,
  now: Date,
): Promise<readonly SandboxMessage[]> {
  const content = await readContent()
  const world: World = {
    owner: { name: 'Robin Hale', email: ownerAddress },
    now,
    content,
    seeded: createSeeded(ownerAddress.toLowerCase()),
    encode: createCharsetEncoder(),
  }
  const messages = [
    ...content.conversations.flatMap((conversation) => conversationMessages(world, conversation)),
    ...content.newsletters.flatMap((newsletter) => newsletterMessages(world, newsletter)),
    ...content.notices.flatMap((notice) => noticeMessages(world, notice)),
    ...content.invitations.map((invitation, index) => invitationMessage(world, invitation, index)),
    ...content.bounces.map((bounce, index) => bounceMessage(world, bounce, index)),
  ]
  return messages.toSorted((left, right) => left.receivedAt.getTime() - right.receivedAt.getTime())
}
