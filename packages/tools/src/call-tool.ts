import { holdsScopes, requireScopes, type Effect, type InboxRecord } from '@postern/access'
import { Fault, newId, toFault, withDeadline, type FaultCode } from '@postern/core'
import { makeBoundary } from '@postern/mail'
import { catalog } from './catalog.ts'
import type { EdgeFault, FileContent, ToolCall, ToolDeps, ToolOutcome, ToolResult } from './context.ts'
import { operationName, type Action, type ActionContext, type Tool } from './define-tool.ts'
import { isBound } from './is-bound.ts'
import { isReadOnly } from './list-tools.ts'
import { nearest } from './nearest.ts'
import { parseArgs } from './parse-args.ts'
import { replayOutput } from './outputs.ts'
import { nothingOf, performWrite } from './perform-write.ts'
import { render } from './render.ts'
import { renderFault } from './render-fault.ts'
import { renamedTools } from './renamed.ts'
import { resolveInboxes } from './resolve-inboxes.ts'

/** What is known of a call so far, for its record whatever becomes of it. */
interface Progress {
  tool: Tool | null
  action: Action | null
  /** The inbox, when it is exactly one. */
  inbox: InboxRecord | null
  /** When the time of the call began to run, by the clock that deadlines are measured with. */
  readonly startedMs: number
  /** A write that has come as far as its claim; a call that ends before has changed nothing. */
  isClaiming: boolean
  readonly notes: string[]
}

/**
 * THE WALL: what an agent may do is decided here and nowhere else, and it fails closed. Every call ends in a
 * result and an audit event; nothing is thrown.
 */
export async function callTool(
  deps: ToolDeps,
  call: ToolCall,
  name: string,
  args: unknown,
): Promise<ToolOutcome> {
  const startedAt = deps.clock.now()
  const startedMs = Date.now()
  const progress: Progress = {
    tool: null,
    action: null,
    inbox: null,
    startedMs,
    isClaiming: false,
    notes: [],
  }
  let result: ToolResult
  let fault: Fault | null = null
  try {
    result = await attempt(deps, call, { name, args }, progress)
  } catch (error) {
    fault = toFault(error)
    const { action, isClaiming } = progress
    const hasLeftNothing = action !== null && action.write !== null && !isClaiming
    result = renderFault(fault, action, {
      seconds: Math.round((Date.now() - startedMs) / 1_000),
      outcome: hasLeftNothing ? nothingOf(action.effect) : null,
    })
  }
  record(deps, call, progress, { fault, startedAt })
  return {
    result,
    edge: fault === null ? null : edgeFault(fault),
    operation: operationOf(progress),
    inboxId: progress.inbox?.inboxId ?? null,
    provider: progress.inbox?.provider ?? null,
    fault,
  }
}

async function attempt(
  deps: ToolDeps,
  call: ToolCall,
  request: { readonly name: string; readonly args: unknown },
  progress: Progress,
): Promise<ToolResult> {
  const tool = findTool(call, request.name)
  progress.tool = tool
  requireAnyScope(tool, call)
  const note = (sentence: string): void => void progress.notes.push(sentence)
  const files: FileContent[] = []
  const parsed = parseArgs(tool, asObject(request.args), {
    chosen: (action) => void (progress.action = action),
    allow: (action) => requireScopes(call.principal, action.scopes, operationName(tool, action)),
    note,
    isBound: isBound(call.principal),
  })
  const { action } = parsed
  const reachable = await deps.inboxes.listInboxes(call.principal)
  const chosen = resolveInboxes(action, parsed, reachable, { ownerUrl: deps.ownerUrl, note })
  if (chosen.inboxes.length === 1) progress.inbox = chosen.inboxes[0] ?? null
  const now = deps.clock.now()
  const deadline = new Date(progress.startedMs + action.seconds * 1_000)
  const context: ActionContext = {
    deps,
    principal: call.principal,
    operation: operationName(tool, action),
    inboxes: chosen.inboxes,
    reachable,
    skippedInboxes: chosen.skipped,
    call: { signal: call.signal, deadline, log: call.log },
    progress: call.progress,
    now,
    nonce: makeBoundary(),
    openMail: (inbox) => deps.openInbox(inbox),
    notes: progress.notes,
    note,
    attach: (content) => void files.push(content),
  }
  const { effect, rehearsal, write } = action
  if (rehearsal?.isAsked(parsed.input) === true) {
    const answer = await withDeadline(rehearsal.run(parsed.input, context), deadline, call.signal)
    return render(rehearsal.output, { operation: context.operation, answer }, progress.notes)
  }
  if (write !== null) {
    progress.isClaiming = true
    const { answer, isReplay } = await performWrite({ effect, write }, parsed.input, context)
    return render(
      isReplay ? replayOutput : action.output,
      { operation: context.operation, answer },
      progress.notes,
    )
  }
  const answer = await withDeadline(action.run(parsed.input, context), deadline, call.signal)
  const { prose } = action
  return render(action.output, { operation: context.operation, answer, files, prose }, progress.notes)
}

/** @throws unknown_tool with the nearest name; a write tool does not exist on a read-only URL. */
function findTool(call: ToolCall, name: string): Tool {
  const wanted = renamedTools.get(name) ?? name
  const callable = catalog.filter((tool) => !call.isReadOnly || isReadOnly(tool))
  const tool = callable.find((candidate) => candidate.name === wanted)
  if (tool !== undefined) return tool
  const near = nearest(
    name,
    callable.map((candidate) => candidate.name),
  )
  throw new Fault('unknown_tool', {
    public: `There is no tool of that name here.${near === null ? '' : ` The nearest is ${near}.`}`,
    details: near === null ? {} : { nearest: near },
  })
}

/** Without any of a tool's scopes nothing about its arguments is said. */
function requireAnyScope(tool: Tool, { principal }: ToolCall): void {
  const [first] = tool.actions
  if (first === undefined || tool.actions.some(({ scopes }) => holdsScopes(principal, scopes))) return
  // Any of these opens some action; which one was meant has not been read.
  const openers = [...new Set(tool.actions.flatMap(({ scopes }) => scopes[0] ?? []))]
  requireScopes(principal, [openers], tool.name)
  requireScopes(principal, first.scopes, tool.name)
}

function asObject(args: unknown): Readonly<Record<string, unknown>> {
  if (args === undefined || args === null) return {}
  if (typeof args === 'object' && !Array.isArray(args)) return args as Readonly<Record<string, unknown>>
  throw new Fault('invalid_arguments', { public: 'The arguments of a tool must be one JSON object.' })
}

function operationOf({ tool, action }: Progress): string {
  if (tool === null) return 'unknown_tool'
  return action === null ? tool.name : operationName(tool, action)
}

function record(
  deps: ToolDeps,
  call: ToolCall,
  progress: Progress,
  { fault, startedAt }: { readonly fault: Fault | null; readonly startedAt: Date },
): void {
  const effect: Effect = progress.action?.effect ?? 'read'
  const at = deps.clock.now()
  deps.audit.add({
    eventId: newId('ae'),
    tenantId: call.principal.tenantId,
    principalId: call.principal.principalId,
    inboxId: progress.inbox?.inboxId ?? null,
    requestId: call.requestId,
    operation: operationOf(progress),
    effect,
    outcome: fault === null ? 'ok' : isDenial(fault) ? 'denied' : 'failed',
    faultCode: fault?.code ?? null,
    durationMs: Math.max(0, at.getTime() - startedAt.getTime()),
    at,
  })
}

/** Refused by grant or by the rules of sending, whatever the mailbox would have said. */
const denials: ReadonlySet<FaultCode> = new Set([
  'insufficient_scope',
  'inbox_not_found',
  'unknown_tool',
  'inbox_disabled',
  'recipient_not_allowed',
  'sender_not_allowed',
  'send_cap_reached',
])

function isDenial({ code }: Fault): boolean {
  return denials.has(code)
}

const edgeCodes = ['unknown_tool', 'insufficient_scope', 'rate_limit_exceeded', 'service_busy'] as const

/** Four codes concern the protocol more than the call; the HTTP edge says them its own way. */
function edgeFault(fault: Fault): EdgeFault | null {
  const code = edgeCodes.find((candidate) => candidate === fault.code)
  if (code === undefined) return null
  const retryAfter = fault.retryAfterSeconds === null ? {} : { retry_after: fault.retryAfterSeconds }
  return { code, message: fault.public, data: { error_code: code, ...fault.details, ...retryAfter } }
}
