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
  const body = Buffer.from(
    JSON.stringify([
      version,
      now.getTime() + lifetimeMs,
      state.now.getTime(),
      position,
      anchor.receivedAt.getTime(),
      Buffer.from(anchor.tie, 'hex').toString('base64url'),
      anchor.rank,
      carriesFilters(filters) ? filters : digestOf(filters),
    ] satisfies z.input<typeof sealed>),
  )
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
  const state = authentic(signer, binding, cursor)
  if (state === null) {
    throw invalid('It is not one that this key was given for this inbox and action, or it was altered.')
  }
  const [, expiresMs, startedMs, position, receivedMs, tie, rank, carried] = state
  if (expiresMs < now.getTime()) {
    throw new Fault('cursor_expired', {
      public: 'This cursor is older than 24 hours. The same call without it starts again at the first page.',
      details: { argument: 'cursor' },
    })
  }
  const anchor = {
    receivedAt: new Date(receivedMs),
    tie: Buffer.from(tie, 'base64url').toString('hex'),
    rank,
  }
  const filters = settleFilters(carried, given, defaults)
  return { filters, now: new Date(startedMs), position, anchor }
}

function settleFilters(carried: Json | string, given: Json, defaults: Json): Json {
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

function authentic(signer: Signer, binding: CursorBinding, cursor: string): z.output<typeof sealed> | null {
  const [bodyText, macText, ...rest] = cursor.split('.')
  if (bodyText === undefined || macText === undefined || rest.length > 0) return null
  const body = Buffer.from(bodyText, 'base64url')
  const mac = Buffer.from(macText, 'base64url')
  const isCanonical = body.toString('base64url') === bodyText && mac.toString('base64url') === macText
  if (!isCanonical || mac.length !== macBytes || !signer.verifies(signedOf(binding, body), mac)) return null
  // Signed by us, so it parses; another version of ourselves may have made another shape.
  const state = sealed.safeParse(JSON.parse(body.toString('utf8')))
  return state.success ? state.data : null
}

function invalid(why: string): Fault {
  return new Fault('cursor_invalid', {
    public: `The cursor cannot be used. ${why} The same call without it starts at the first page.`,
    details: { argument: 'cursor' },
  })
}
