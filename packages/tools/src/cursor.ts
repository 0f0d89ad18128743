import { Fault, type Signer } from '@postern/core'
import type { Anchor } from '@postern/mail'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Json } from './define-tool.ts'

/** How long a cursor is good, on any instance and after restarts. */
const lifetimeMs = 24 * 3_600_000
const macBytes = 16

/** What a cursor is bound to: good for nobody else, for nothing else. */
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

const sealed = z.strictObject({
  v: z.literal(1),
  p: z.string(),
  o: z.string(),
  i: z.array(z.string()),
  f: z.record(z.string(), z.unknown()),
  n: z.number(),
  c: z.number().int(),
  a: z.strictObject({ r: z.number(), t: z.string(), k: z.number().nullable() }),
  e: z.number(),
})

/** base64url of the state and its MAC. Readable by its holder, who sent all of it, and unchangeable. */
export function sealCursor(signer: Signer, binding: CursorBinding, state: CursorState, now: Date): string {
  const body = Buffer.from(
    JSON.stringify({
      v: 1,
      p: binding.principalId,
      o: binding.operation,
      i: [...binding.inboxIds].sort(),
      f: state.filters,
      n: state.now.getTime(),
      c: state.position,
      a: { r: state.anchor.receivedAt.getTime(), t: state.anchor.tie, k: state.anchor.rank },
      e: now.getTime() + lifetimeMs,
    } satisfies z.input<typeof sealed>),
  )
  return `${body.toString('base64url')}.${Buffer.from(signer.sign(body).subarray(0, macBytes)).toString('base64url')}`
}

/**
 * @param given filters that came beside the cursor: each must equal the one it was made with.
 * @throws cursor_invalid (forged, foreign, other filters), cursor_expired.
 */
export function openCursor(
  signer: Signer,
  binding: CursorBinding,
  cursor: string,
  request: { readonly given: Json; readonly now: Date },
): CursorState {
  const state = authentic(signer, cursor)
  const isBound =
    state !== null &&
    state.p === binding.principalId &&
    state.o === binding.operation &&
    isDeepStrictEqual(state.i, [...binding.inboxIds].sort())
  if (!isBound) throw invalid('It is not a cursor of this key, inbox and action.')
  if (state.e < request.now.getTime()) {
    throw new Fault('cursor_expired', {
      public: 'This cursor is older than 24 hours. Start again without it.',
    })
  }
  for (const [name, value] of Object.entries(request.given)) {
    if (!isDeepStrictEqual(state.f[name], value))
      throw invalid(`${name} differs from the first page: leave filters out, or start again.`)
  }
  return {
    filters: state.f,
    now: new Date(state.n),
    position: state.c,
    anchor: { receivedAt: new Date(state.a.r), tie: state.a.t, rank: state.a.k },
  }
}

function authentic(signer: Signer, cursor: string): z.output<typeof sealed> | null {
  const [bodyText, macText, ...rest] = cursor.split('.')
  if (bodyText === undefined || macText === undefined || rest.length > 0) return null
  const body = Buffer.from(bodyText, 'base64url')
  const mac = Buffer.from(macText, 'base64url')
  const isCanonical = body.toString('base64url') === bodyText && mac.toString('base64url') === macText
  if (!isCanonical || mac.length !== macBytes || !signer.verifies(body, mac)) return null
  // Signed by us, so it parses; another version of ourselves may have made another shape.
  const state = sealed.safeParse(JSON.parse(body.toString('utf8')))
  return state.success ? state.data : null
}

function invalid(why: string): Fault {
  return new Fault('cursor_invalid', {
    public: `The cursor cannot be used. ${why}`,
    details: { argument: 'cursor' },
  })
}
