import { Fault, type Signer } from '@postern/core'
import type { Anchor } from '@postern/mail'
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Json } from './define-tool.ts'

/** How long a cursor is good, on any instance and after restarts. */
const lifetimeMs = 24 * 3_600_000
const macBytes = 16
/** Octets of filters that a cursor carries; of longer ones it holds a digest, and they have to be given again. */
const maxFilterOctets = 2_000

/** What a cursor is bound to: good for nobody else, for nothing else. It is signed and not carried. */
export interface CursorBinding {
  readonly principalId: string
  readonly operation: string
  readonly inboxIds: readonly string[]
}

/** Where to go on, and the arguments and instant that the first page was made with. */
export interface CursorState {
  /** Filters of the first page; relative times in them are read against `now` again. */
  readonly filters: Json
  readonly now: Date
  readonly anchor: Anchor
  /** Rows before the next page, so that `next_offset` stays true on the way. */
  readonly position: number
}

const version = 2

/** version, expiry, instant of the first page, position, then received, tie and rank of the anchor, then the filters. */
const sealed = z.tuple([
  z.literal(version),
  z.number(),
  z.number(),
  z.number().int(),
  z.number(),
  z.string(),
  z.number().nullable(),
  z.union([z.record(z.string(), z.unknown()), z.string()]),
])

/** base64url of the state and its MAC. Readable by its holder, who sent all of it, and unchangeable. */
export function sealCursor(signer: Signer, binding: CursorBinding, state: CursorState, now: Date): string {
  const { filters, anchor, position } = state
  return sealState(signer, binding, [
    version,
    expiryOf(now),
    state.now.getTime(),
    position,
    anchor.receivedAt.getTime(),
    Buffer.from(anchor.tie, 'hex').toString('base64url'),
    anchor.rank,
    carriedOf(filters),
  ] satisfies z.input<typeof sealed>)
}

/** When a cursor that is made now ends, in milliseconds since the epoch. */
export function expiryOf(now: Date): number {
  return now.getTime() + lifetimeMs
}

/** Filters as a cursor carries them: themselves, or the digest of long ones. */
export function carriedOf(filters: Json): Json | string {
  return carriesFilters(filters) ? filters : digestOf(filters)
}

/** base64url of any state that JSON can hold, and its MAC. */
export function sealState(signer: Signer, binding: CursorBinding, state: unknown): string {
  const body = Buffer.from(JSON.stringify(state))
  const mac = Buffer.from(signer.sign(signedOf(binding, body)).subarray(0, macBytes))
  return `${body.toString('base64url')}.${mac.toString('base64url')}`
}

interface CursorRequest {
  /** Filters that came beside the cursor: each must equal the one it was made with. */
  readonly given: Json
  /** What a filter that was left out stands for. */
  readonly defaults: Json
  readonly now: Date
}

/** @throws cursor_invalid (forged, foreign, other filters), cursor_expired. */
export function openCursor(
  signer: Signer,
  binding: CursorBinding,
  cursor: string,
  { given, defaults, now }: CursorRequest,
): CursorState {
  const state = openState(signer, binding, cursor, sealed)
  const [, expiresMs, startedMs, position, receivedMs, tie, rank, carried] = state
  requireFresh(expiresMs, now)
  const anchor = {
    receivedAt: new Date(receivedMs),
    tie: Buffer.from(tie, 'base64url').toString('hex'),
    rank,
  }
  const filters = settleFilters(carried, given, defaults)
  return { filters, now: new Date(startedMs), position, anchor }
}

/** @throws cursor_expired. */
export function requireFresh(expiresMs: number, now: Date): void {
  if (expiresMs >= now.getTime()) return
  throw new Fault('cursor_expired', {
    public: 'This cursor is older than 24 hours. The same call without it starts again at the first page.',
    details: { argument: 'cursor' },
  })
}

/** The filters that a cursor was made with. @throws cursor_invalid: one that came beside it differs. */
export function settleFilters(carried: Json | string, given: Json, defaults: Json): Json {
  if (typeof carried === 'string') {
    const filters = withoutDefaults(given, defaults)
    if (digestOf(filters) === carried) return filters
    throw invalid('Its filters are too long for it to carry: they have to be given again, unchanged.')
  }
  for (const [name, value] of Object.entries(given)) {
    const first = Object.hasOwn(carried, name) ? carried[name] : defaults[name]
    if (!isDeepStrictEqual(first, value))
      throw invalid(`${name} differs from the first page. Beside a cursor filters are left out, or equal.`)
  }
  return carried
}

/** Filters that say something: one that equals its default is as good as left out. */
export function withoutDefaults(given: Json, defaults: Json): Json {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !isDeepStrictEqual(defaults[name], value)),
  )
}

/** False where they have to be given again beside the cursor. */
export function carriesFilters(filters: Json): boolean {
  return Buffer.byteLength(JSON.stringify(filters)) <= maxFilterOctets
}

function digestOf(filters: Json): string {
  const ordered = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(ordered)).digest('base64url')
}

/** JSON has no raw line end, so no binding and body spell the octets of another pair. */
function signedOf({ principalId, operation, inboxIds }: CursorBinding, body: Uint8Array): Uint8Array {
  const bound = JSON.stringify([principalId, operation, [...inboxIds].sort()])
  return Buffer.concat([Buffer.from(`${bound}\n`), body])
}

/** @throws cursor_invalid: forged, foreign, or of another shape than `shape`. */
export function openState<T extends z.ZodType>(
  signer: Signer,
  binding: CursorBinding,
  cursor: string,
  shape: T,
): z.output<T> {
  const body = authentic(signer, binding, cursor)
  // Signed by us, so it parses; another version of ourselves may have made another shape.
  const state = body === null ? null : shape.safeParse(JSON.parse(body.toString('utf8')))
  if (state?.success === true) return state.data
  throw invalid('It is not one that this key was given for this inbox and action, or it was altered.')
}

function authentic(signer: Signer, binding: CursorBinding, cursor: string): Buffer | null {
  const [bodyText, macText, ...rest] = cursor.split('.')
  if (bodyText === undefined || macText === undefined || rest.length > 0) return null
  const body = Buffer.from(bodyText, 'base64url')
  const mac = Buffer.from(macText, 'base64url')
  const isCanonical = body.toString('base64url') === bodyText && mac.toString('base64url') === macText
  if (!isCanonical || mac.length !== macBytes || !signer.verifies(signedOf(binding, body), mac)) return null
  return body
}

function invalid(why: string): Fault {
  return new Fault('cursor_invalid', {
    public: `The cursor cannot be used. ${why} The same call without it starts at the first page.`,
    details: { argument: 'cursor' },
  })
}
