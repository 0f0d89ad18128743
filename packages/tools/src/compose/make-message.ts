import { randomBase62 } from '@postern/core'
import type { ComposedMessage } from '@postern/mail'
import { compose, type Letter, type Making } from '@postern/outbox'
import type { WriteContext } from '../define-tool.ts'

/** The octets of a letter, as of this call. @throws as `compose`. */
export async function makeMessage(letter: Letter, context: WriteContext): Promise<ComposedMessage> {
  await context.write.enter('compose')
  return compose(letter, makingOf(context))
}

/** The moment of the call, and a token that no other message has. */
export function makingOf({ now }: WriteContext): Making {
  return { now, token: randomBase62(24) }
}
