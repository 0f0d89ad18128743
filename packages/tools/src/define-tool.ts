import type {
  Effect,
  InboxRecord,
  Operation,
  OperationItem,
  Outcome,
  Principal,
  ScopeRule,
} from '@postern/access'
import type { Call, DestroyMail, ReadMail, WriteCall, WriteMail } from '@postern/mail'
import type * as z from 'zod'
import type { FileContent, Progress, ToolDeps } from './context.ts'
import { writeEnvelope } from './outputs.ts'
import { describeParams, type ParamSpec } from './param-spec.ts'
import * as params from './params.ts'

/**
 * Which inboxes an action works on: exactly one; those named, or all the key reaches; none (only the key); or the contact
 * book, of the one inbox named or of all together, also where there is none.
 */
export type Target = 'inbox' | 'inboxes' | 'key' | 'book'

/** What a running action is given. It can reach nothing else, so a read that writes does not compile. */
export interface ActionContext {
  readonly deps: ToolDeps
  readonly principal: Principal
  readonly operation: string
  /** The chosen inboxes, all reachable by the grant. Empty for `key`, and for `book` where none was named. */
  readonly inboxes: readonly InboxRecord[]
  /** Every inbox the grant reaches, most recently active first. */
  readonly reachable: readonly InboxRecord[]
  /** Reachable inboxes beyond the bound of a fan-out, left out of `inboxes`. */
  readonly skippedInboxes: number
  readonly call: Call
  /** For what lasts: null where nobody asked to hear. */
  readonly progress: Progress | null
  readonly now: Date
  /** 16 hexadecimal characters that fence this call's mailbox text. */
  readonly nonce: string
  readonly openMail: (inbox: InboxRecord) => Promise<ReadMail>
  /** What has been noted so far. */
  readonly notes: readonly string[]
  /** Adds one of our own sentences to the result's notes. Never a word from a mailbox. */
  readonly note: (sentence: string) => void
  /** Adds a file, or where it can be fetched, behind the text of the result. */
  readonly attach: (content: FileContent) => void
}

export type Json = Readonly<Record<string, unknown>>

interface ActionInit<In extends z.ZodObject, Out extends z.ZodObject> {
  /** Null on a tool of one action. */
  readonly action: string | null
  readonly effect: Effect
  readonly scopes: ScopeRule
  readonly target: Target
  /** Time of the whole call, queueing included. */
  readonly seconds: number
  /** Strict and flat. Per-action rules live here alone: validator, `action` text and tests derive from it. */
  readonly input: In
  readonly output: Out
  /** Smallest valid arguments, shown when one is missing. */
  readonly example: Json
  run(input: z.output<In>, context: ActionContext): Promise<z.input<Out>>
  /** Of an answer that is read as text alone, without `structuredContent`: how it is told. */
  readonly prose?: (answer: z.output<Out>) => string
}

/** What a write is given beside: the mailbox with the verbs that change it, and the row of the ledger that it is. */
export interface WriteContext extends ActionContext {
  /** The row that is claimed for it. */
  readonly claimed: Operation
  readonly idempotencyKey: string | null
  readonly write: WriteCall
  readonly openForChange: (inbox: InboxRecord) => Promise<ChangeMail>
}

/** What a write may do to a mailbox. Sending is not among it. */
export type ChangeMail = ReadMail & WriteMail & DestroyMail

/** What a write came to: its outcome, its own fields, and where each message was and is. */
export interface Written<Own, Once = Json> {
  readonly outcome: Outcome
  /** Ids and counts. The ledger keeps them, and a repeated call is told them. */
  readonly own: Own
  /** Addresses, subjects and whatever else of a mail: told in this answer, and kept nowhere. */
  readonly once?: Once
  readonly items: readonly OperationItem[]
}

/** An action whose types have been checked where it was defined; the wall handles all actions alike. */
export interface Action {
  readonly action: string | null
  readonly effect: Effect
  readonly scopes: ScopeRule
  readonly target: Target
  readonly seconds: number
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly example: Json
  /** Parameters this action takes, in order. */
  readonly params: ReadonlyMap<string, ParamSpec>
  /** `input` must have passed `this.input`; the answer is validated by the caller. */
  run(input: Json, context: ActionContext): Promise<Json>
  /** Instead of `run` for what changes something; null for reads. */
  readonly write: ((input: Json, context: WriteContext) => Promise<Written<Json>>) | null
  /** Tells an answer as text alone; null for all that answer with fields. */
  readonly prose: ((answer: Json) => string) | null
  /** Of a write that can be asked what it would do. */
  readonly rehearsal: Rehearsal<Json, z.ZodObject> | null
}

/** Shows what a write would do, without claiming or changing anything. */
interface Rehearsal<In, Out extends z.ZodObject> {
  readonly output: Out
  /** Whether this call only asks for it. */
  readonly isAsked: (input: In) => boolean
  readonly run: (input: In, context: ActionContext) => Promise<z.input<Out>>
}

/** Binds an action's schemas to its function. The cast is sound because callTool parses with `input` first. */
export function defineAction<In extends z.ZodObject, Out extends z.ZodObject>(
  init: ActionInit<In, Out>,
): Action {
  return {
    ...init,
    params: describeParams(init.input),
    run: (input, context) => init.run(input as z.output<In>, context),
    write: null,
    prose: init.prose === undefined ? null : (answer) => init.prose?.(answer as z.output<Out>) ?? '',
    rehearsal: null,
  }
}

/** An action that changes something, before it is bound to a name. */
export interface WriteInit<
  In extends z.ZodObject,
  Own extends z.ZodObject,
  Once extends z.ZodObject,
  Shown extends z.ZodObject,
> extends Omit<ActionInit<In, Own>, 'effect' | 'output' | 'run' | 'prose'> {
  readonly effect: Exclude<Effect, 'read'>
  /** What stands in the answer beside the fields of every write. */
  readonly own: Own
  /** What only the first answer tells, as of `Written.once`. */
  readonly once?: Once
  readonly write: (
    input: z.output<In>,
    context: WriteContext,
  ) => Promise<Written<z.input<Own>, z.input<Once>>>
  readonly rehearsal?: Rehearsal<z.output<In>, Shown>
}

/** An action that changes something: claimed in the ledger before it acts, with an idempotency key for callers that retry. */
export function defineWrite<
  In extends z.ZodObject,
  Own extends z.ZodObject,
  Once extends z.ZodObject = z.ZodObject,
  Shown extends z.ZodObject = z.ZodObject,
>(init: WriteInit<In, Own, Once, Shown>): Action {
  const { own, once, write, rehearsal, ...rest } = init
  const input = init.input.extend({ idempotency_key: params.idempotencyKey })
  return {
    ...rest,
    input,
    output: writeEnvelope.extend({ ...own.shape, ...once?.shape }),
    params: describeParams(input),
    run: () => Promise.reject(new TypeError('a write runs through the ledger')),
    write: (args, context) => write(args as z.output<In>, context),
    prose: null,
    rehearsal:
      rehearsal === undefined
        ? null
        : {
            output: rehearsal.output,
            isAsked: (args) => rehearsal.isAsked(args as z.output<In>),
            run: (args, context) => rehearsal.run(args as z.output<In>, context),
          },
  }
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly isIdempotent: boolean
  /** Acts on many items by criteria; counts as destructive. */
  readonly isBulk: boolean
  /** The named sets of `?toolsets=` that hold this tool. */
  readonly toolset: 'core' | 'bulk' | 'schedule' | 'signature' | 'automation' | 'calendar' | 'compat'
  readonly actions: readonly Action[]
  /** The only fields that the published output schema names, requiring none; left out: what all actions share. */
  readonly publishes?: readonly string[]
}

export function defineTool(tool: Tool): Tool {
  return tool
}

/** The strongest thing a tool can do; its hints follow from it. */
export function strongestEffect(actions: readonly Action[]): Effect {
  const order: readonly Effect[] = ['read', 'write', 'send', 'destroy']
  return actions
    .map((action) => action.effect)
    .reduce((a, b) => (order.indexOf(a) >= order.indexOf(b) ? a : b), 'read')
}

/** `email_read.search`, or the tool's name alone where it has one action. */
export function operationName(tool: Tool, action: Action): string {
  return action.action === null ? tool.name : `${tool.name}.${action.action}`
}
