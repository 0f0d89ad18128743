import { Fault } from '@postern/core'
import { isRecord, type CallResult, type CallTool } from './call-tool.ts'
import { fit, indent, printable, table } from './layout.ts'

/** A call that was made, its answer, and the answer for people. */
export interface DemoCall {
  readonly question: string
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>>
  readonly shown: string
}

/** What the demo asks: which inboxes there are, what the accountant wrote, and the first of these messages. */
export async function makeDemoCalls(call: CallTool): Promise<readonly DemoCall[]> {
  const inboxes = await ask(call, {
    question: 'Which mailboxes can I reach?',
    tool: 'inbox_list',
    arguments: { include_capabilities: false },
    show: showInboxes,
  })
  const found = await ask(call, {
    question: 'What has the accountant written in the last six weeks?',
    tool: 'email_read',
    arguments: { action: 'search', from: 'helen@marsh-ledger.example', since: '42d', limit: 10 },
    show: showRows,
  })
  const read = await ask(call, {
    question: 'What exactly did she ask for first?',
    tool: 'email_read',
    arguments: { action: 'read', message_id: oldestId(found.result) },
    show: showMessage,
  })
  return [inboxes, found, read]
}

interface Asked {
  readonly question: string
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly show: (result: Readonly<Record<string, unknown>>) => string
}

async function ask(call: CallTool, { show, ...asked }: Asked): Promise<DemoCall> {
  const result = await call(asked.tool, asked.arguments)
  if (result.isError || result.structured === null) throw failedCall(asked.tool, result)
  return { ...asked, result: result.structured, shown: show(result.structured) }
}

function failedCall(tool: string, result: CallResult): Fault {
  return new Fault('internal_error', {
    public: `The demo's call of ${tool} failed. That is a fault of this release.`,
    internal: result.texts.join(' '),
  })
}

function oldestId(result: Readonly<Record<string, unknown>>): string {
  return text(records(result['messages']).at(-1)?.['message_id'])
}

function showInboxes(result: Readonly<Record<string, unknown>>): string {
  const rows = records(result['inboxes']).map((inbox) => [
    text(inbox['email_address']),
    text(inbox['provider']),
    text(inbox['status']),
    text(inbox['inbox_id']),
  ])
  return table(['ADDRESS', 'KIND', 'STATUS', 'INBOX ID'], rows)
}

function showRows(result: Readonly<Record<string, unknown>>): string {
  const rows = records(result['messages']).map((row) => [
    text(row['date']).slice(0, 10),
    text(row['subject']),
    text(row['snippet']),
  ])
  const total = typeof result['total'] === 'number' ? `${result['total']} messages\n` : ''
  return `${table(['RECEIVED', 'SUBJECT', 'BEGINS'], rows, 44)}${total}`
}

function showMessage(message: Readonly<Record<string, unknown>>): string {
  const attachments = records(message['attachments']).map((file) => text(file['filename']))
  const verdicts = isRecord(message['authentication']) ? message['authentication'] : {}
  const lines = [
    `From     ${person(message['from'])}`,
    `Date     ${text(message['date'])}`,
    `Subject  ${text(message['subject'])}`,
    `Proof    spf ${text(verdicts['spf'])}, dkim ${text(verdicts['dkim'])}, dmarc ${text(verdicts['dmarc'])}`,
    ...(attachments.length === 0 ? [] : [`Files    ${attachments.join(', ')}`]),
  ]
  const head = lines.map((line) => fit(printable(line), 110)).join('\n')
  return `${head}\n\n${indent(`${printable(text(message['body'])).trim()}\n`)}`
}

function person(value: unknown): string {
  if (!isRecord(value)) return ''
  const name = text(value['name'])
  return name === '' ? text(value['email']) : `${name} <${text(value['email'])}>`
}

function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
