import { createHash } from 'node:crypto'
import { Fault } from '@postern/core'
import type { MessageRef } from '@postern/mail'
import * as z from 'zod'
import type { BulkAct } from './bulk-act.ts'

/** A change of many messages, frozen until somebody decides: these messages and no others. */
export interface HeldBulk {
  readonly act: BulkAct
  /** Clean path of the folder that they are moved to; null where they are deleted. */
  readonly destination: string | null
  readonly refs: readonly MessageRef[]
  /** The first of them, for whoever decides. */
  readonly sample: readonly SampleRow[]
}

/** Clean texts. */
export interface SampleRow {
  readonly from: string
  readonly subject: string
  readonly receivedAt: Date
}

const packed = z.strictObject({
  act: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('move'), folderId: z.string() }),
    z.strictObject({ kind: z.literal('trash') }),
    z.strictObject({ kind: z.literal('delete') }),
  ]),
  destination: z.string().nullable(),
  /** Base64 of the locators. */
  refs: z.array(z.string()),
  /** Instants as ISO 8601. */
  sample: z.array(z.strictObject({ from: z.string(), subject: z.string(), receivedAt: z.string() })),
})

/** As octets, to be sealed, and their SHA-256 in hexadecimal: it is of all that is shown and of all that is done. */
export function packHeldBulk({ act, destination, refs, sample }: HeldBulk): {
  readonly held: Uint8Array
  readonly sha256: string
} {
  const json: z.input<typeof packed> = {
    act,
    destination,
    refs: refs.map(({ locator }) => Buffer.from(locator).toString('base64')),
    sample: sample.map((row) => ({ ...row, receivedAt: row.receivedAt.toISOString() })),
  }
  const held = Buffer.from(JSON.stringify(json))
  return { held, sha256: hashOf(held) }
}

/** @throws internal_error for octets that `packHeldBulk` did not make, or of another hash. */
export function unpackHeldBulk(held: Uint8Array, sha256: string): HeldBulk {
  if (hashOf(held) !== sha256) throw unreadable('another hash than was approved')
  try {
    const { refs, sample, ...rest } = packed.parse(JSON.parse(Buffer.from(held).toString('utf8')))
    return {
      ...rest,
      refs: refs.map((locator) => ({ locator: Buffer.from(locator, 'base64') })),
      sample: sample.map((row) => ({ ...row, receivedAt: new Date(row.receivedAt) })),
    }
  } catch (error) {
    throw unreadable('not one of ours', error)
  }
}

function hashOf(octets: Uint8Array): string {
  return createHash('sha256').update(octets).digest('hex')
}

function unreadable(why: string, cause?: unknown): Fault {
  return new Fault('internal_error', {
    public: 'What was held is not what was asked for. Nothing was changed.',
    internal: `held bulk change: ${why}`,
    cause,
  })
}
