import { outcomes, type ApprovalRecord, type Json, type Operation, type OperationItem } from '@postern/access'
import { writeStages } from '@postern/core'
import * as z from 'zod'
import { defineAction, defineTool, type ActionContext } from '../define-tool.ts'
import { findOutcome } from '../find-outcome.ts'
import * as params from '../params.ts'
import { settle } from '../settle.ts'

const count = z.number().int()

const output = z.strictObject({
  operation_id: z.string(),
  tool: z.string(),
  action: z.string().nullable(),
  inbox_id: z.string().nullable(),
  outcome: z.enum(outcomes).nullable().describe('null: it still runs.'),
  fault_code: z.string().nullable(),
  stage: z.enum(writeStages),
  created_at: z.string(),
  updated_at: z.string(),
  resolved_at: z.string().nullable(),
  ids: z.record(z.string(), z.string()),
  counts: z.record(z.string(), count).describe('Messages by what became of them.'),
  recipient_counts: z.record(z.string(), count).nullable(),
  sent_copy: z.strictObject({ status: z.string(), folder_id: z.string().nullable() }).nullable(),
  approval: z
    .strictObject({
      approval_id: z.string(),
      status: z.enum(['pending', 'approved', 'rejected', 'expired']),
      reason: z.string().nullable(),
      review_url: z.string(),
    })
    .nullable(),
  schedule_id: z.string().nullable(),
  undone_by: z.string().nullable(),
  resolution: z.strictObject({ method: z.string(), checked_at: z.string(), evidence: z.string() }).nullable(),
})

const action = defineAction({
  action: null,
  effect: 'read',
  scopes: [],
  target: 'key',
  seconds: 25,
  input: z.strictObject({ operation_id: params.operationId }),
  output,
  example: { operation_id: 'op_...' },
  async run({ operation_id: operationId }, context) {
    const { ledger } = context.deps
    const operation = await lookAgain(await ledger.get(context.principal, operationId), context)
    const [items, approval] = await Promise.all([
      ledger.listItems(operation),
      context.deps.approvals.find(operation),
    ])
    return { ...render(operation, items), approval: approval === null ? null : renderApproval(approval) }
  },
})

/** Of what nobody knows the mailbox is asked, by one call in 30 s. What it tells is written down. */
async function lookAgain(operation: Operation, context: ActionContext): Promise<Operation> {
  const { ledger } = context.deps
  const inbox = context.reachable.find(({ inboxId }) => inboxId === operation.inboxId)
  if (operation.outcome !== 'unknown' || inbox === undefined) return operation
  if (!(await ledger.takeLook(operation))) return operation
  const { value: finding, fault } = await settle(
    async () => findOutcome(operation, await context.openMail(inbox), context),
    context.call,
  )
  if (fault !== null) context.note(`The mailbox could not be looked at just now (${fault.code}).`)
  if (finding === null) return operation
  const { method, evidence, outcome, items } = finding
  return ledger.resolve(operation, outcome, { method, evidence, checkedAt: context.now }, items)
}

function renderApproval({
  approvalId,
  status,
  reason,
  reviewUrl,
}: ApprovalRecord & { readonly reviewUrl: string }): z.input<typeof output>['approval'] {
  return { approval_id: approvalId, status, reason, review_url: reviewUrl }
}

function render(
  operation: Operation,
  items: readonly OperationItem[],
): Omit<z.input<typeof output>, 'approval'> {
  const [tool = '', name] = operation.operation.split('.')
  const result = operation.result ?? {}
  const { resolution } = operation
  return {
    operation_id: operation.operationId,
    tool,
    action: name ?? null,
    inbox_id: operation.inboxId,
    outcome: operation.outcome,
    fault_code: operation.faultCode,
    stage: operation.stage,
    created_at: operation.createdAt.toISOString(),
    updated_at: operation.updatedAt.toISOString(),
    resolved_at: operation.resolvedAt?.toISOString() ?? null,
    ids: {
      ...pick(result, idNames, isText),
      ...(operation.rfcMessageId === null ? {} : { rfc_message_id: operation.rfcMessageId }),
    },
    counts: countsOf(operation, items),
    recipient_counts: countsIn(result['recipient_counts']),
    sent_copy: sentCopyIn(result['sent_copy']),
    schedule_id: isText(result['schedule_id']) ? result['schedule_id'] : null,
    undone_by: operation.undoneBy,
    resolution:
      resolution === null
        ? null
        : {
            method: resolution.method,
            checked_at: resolution.checkedAt.toISOString(),
            evidence: resolution.evidence,
          },
  }
}

// What a result may be told of by: never a recipient, a subject or a name.
const idNames = ['message_id', 'thread_id', 'draft_id', 'folder_id', 'destination_folder_id'] as const
const countNames = ['matched', 'succeeded', 'unchanged', 'failed', 'unknown'] as const

type Result = Readonly<Record<string, Json>>

function pick<T extends Json>(
  result: Result,
  names: readonly string[],
  is: (value: Json | undefined) => value is T,
): Record<string, T> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = result[name]
      return is(value) ? [[name, value]] : []
    }),
  )
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string'
}

function isCount(value: Json | undefined): value is number {
  return Number.isSafeInteger(value)
}

function isObject(value: Json | undefined): value is Result {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** As the answer gave them, ids that led nowhere among them; of what was found out later, as the messages are now. */
function countsOf(
  { result, resolution }: Operation,
  items: readonly OperationItem[],
): Record<string, number> {
  const answered = resolution === null ? pick(result ?? {}, countNames, isCount) : {}
  return Object.keys(answered).length === 0 ? countItems(items) : answered
}

function countItems(items: readonly OperationItem[]): Record<string, number> {
  const groups = Object.groupBy(items, ({ status }) => status)
  return Object.fromEntries(
    // Under the name that the answer of the write gives them.
    Object.entries(groups).map(([status, group]) => [status === 'done' ? 'succeeded' : status, group.length]),
  )
}

function countsIn(value: Json | undefined): Record<string, number> | null {
  return isObject(value) ? pick(value, ['accepted', 'rejected', 'unknown'], isCount) : null
}

function sentCopyIn(value: Json | undefined): z.input<typeof output>['sent_copy'] {
  if (!isObject(value) || !isText(value['status'])) return null
  const folderId = value['folder_id']
  return { status: value['status'], folder_id: isText(folderId) ? folderId : null }
}

export const operationGet = defineTool({
  name: 'operation_get',
  title: 'Check an operation',
  description:
    'Tells what became of a write by its operation_id: outcome, how far it came, ids and counts, also of approvals; in place of repeating one whose answer was lost or whose outcome is unknown. ' +
    'Of an unknown one the mailbox is asked, at most every 30 s; resolution says what was found. It looks and never acts. ' +
    'outcome null: it still runs. not_sent and failed left nothing behind; the same call may be made again. ' +
    'Kept for 30 days, own operations only. Needs no scope and does not count against usage.',
  isIdempotent: true,
  isBulk: false,
  toolset: 'core',
  publishes: ['operation_id', 'stage', 'ids', 'counts', 'notes'],
  actions: [action],
})
