import { Fault } from '@postern/core'
import type { ComposedMessage, DraftRef } from '@postern/mail'
import * as z from 'zod'

/** A message frozen until somebody decides: what is approved is what is sent, with Date set then. */
export interface HeldSend {
  readonly message: ComposedMessage
  readonly draft: DraftRef | null
  readonly participants: readonly string[]
}

const head = z.strictObject({
  envelope: z.strictObject({ from: z.string(), to: z.array(z.string()) }),
  rfcMessageId: z.string(),
  sha256: z.string(),
  needsUtf8: z.boolean(),
  /** Base64 of the locator. */
  draft: z.string().nullable(),
  participants: z.array(z.string()),
})

/** As octets, to be sealed: the length of a JSON object in four octets, the object, the message. */
export function packHeldSend({ message, draft, participants }: HeldSend): Uint8Array {
  const { octets, ...rest } = message
  const locator = draft === null ? null : Buffer.from(draft.ref.locator).toString('base64')
  const json = Buffer.from(JSON.stringify({ ...rest, draft: locator, participants }))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(json.length)
  return Buffer.concat([length, json, octets])
}

/** @throws internal_error for octets that `packHeldSend` did not make. */
export function unpackHeldSend(packed: Uint8Array): HeldSend {
  const octets = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
  try {
    const start = 4 + octets.readUInt32BE(0)
    const { draft, participants, ...rest } = head.parse(JSON.parse(octets.toString('utf8', 4, start)))
    return {
      message: { ...rest, octets: octets.subarray(start) },
      draft: draft === null ? null : { ref: { locator: Buffer.from(draft, 'base64') } },
      participants,
    }
  } catch (error) {
    throw new Fault('internal_error', {
      public: 'A held message cannot be read. Nothing was sent.',
      internal: 'held message: not one of ours',
      cause: error,
    })
  }
}
