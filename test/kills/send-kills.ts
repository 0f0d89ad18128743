import type { ImapFlow } from 'imapflow'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HoldPoint } from './hold-proxy.ts'
import type { KillBench } from './kill-bench.ts'

/** The stages of a send at which the service is killed, in their order. */
export const killStages = [
  'claim',
  'connect',
  'envelope',
  'data',
  'after the final dot',
  'sent copy',
  'draft removal',
] as const
export type KillStage = (typeof killStages)[number]

/** What one kill came to. */
export interface SendKill {
  readonly stage: KillStage
  /** Messages of that name in the recipient's mailbox. */
  readonly delivered: number
  /** What the client that repeated its call was told. */
  readonly told: string
  /** What operation_get told after that, where the answer was `unknown`. */
  readonly afterwards: string
}

interface Way {
  /** Which side of the service stands still, and where. */
  readonly side: 'claim' | 'imap' | 'smtp'
  readonly point: HoldPoint
}

const connect: HoldPoint = { at: 'connect' }
const command = (line: RegExp, when: 'before' | 'after'): HoldPoint => ({ at: 'command', line, when })

/** Several places in each stage, taken in turns. */
const ways: Readonly<Record<KillStage, readonly Way[]>> = {
  claim: [{ side: 'claim', point: connect }],
  connect: [
    { side: 'smtp', point: connect },
    { side: 'smtp', point: command(/^EHLO/i, 'after') },
    { side: 'smtp', point: command(/^AUTH/i, 'before') },
  ],
  envelope: [
    { side: 'smtp', point: command(/^MAIL FROM/i, 'before') },
    { side: 'smtp', point: command(/^MAIL FROM/i, 'after') },
    { side: 'smtp', point: command(/^RCPT TO/i, 'before') },
    { side: 'smtp', point: command(/^RCPT TO/i, 'after') },
  ],
  data: [
    { side: 'smtp', point: { at: 'body', octets: 0 } },
    { side: 'smtp', point: { at: 'body', octets: 1 } },
    { side: 'smtp', point: { at: 'body', octets: 200 } },
  ],
  'after the final dot': [{ side: 'smtp', point: { at: 'dot' } }],
  'sent copy': [
    { side: 'imap', point: command(/^\S+ APPEND /i, 'before') },
    { side: 'imap', point: command(/^\S+ APPEND /i, 'after') },
  ],
  'draft removal': [
    { side: 'imap', point: command(/^\S+ UID STORE /i, 'before') },
    { side: 'imap', point: command(/^\S+ UID STORE /i, 'after') },
    { side: 'imap', point: command(/^\S+ UID EXPUNGE /i, 'before') },
    { side: 'imap', point: command(/^\S+ UID EXPUNGE /i, 'after') },
  ],
}

/** Kills the service in the n-th send, and repeats the call as a client does until there is a final answer. */
export async function killInSend(bench: KillBench, friends: ImapFlow, n: number): Promise<SendKill> {
  const stage = killStages[n % killStages.length] ?? 'claim'
  const turns = ways[stage]
  const turn = Math.floor(n / killStages.length)
  const { side, point } = turns[turn % turns.length] ?? { side: 'claim', point: connect }
  const name = `Kill ${String(n)} ${Math.random().toString(36).slice(2)}`
  // Only a draft is removed; the other stages are met by sends of both kinds.
  const send = await (stage === 'draft removal' || turn % 2 === 1 ? draftOf : letterOf)(bench, name)

  if (side === 'claim') await bench.armClaim()
  const held = side === 'claim' ? bench.claimHeld() : bench[side].holdAt(point)
  const first = bench.call(send.tool, send.args).catch(() => null)
  await Promise.race([held, first.then((answer) => failEarly(stage, answer))])
  await bench.gateway.kill()
  await first
  if (side === 'claim') await bench.releaseClaim()
  else bench[side].release()
  await bench.gateway.start()

  const { answer, error } = await bench.insist(send.tool, send.args)
  const told = String(answer?.['outcome'] ?? error?.['outcome'] ?? error?.['error_code'])
  const operationId = answer?.['operation_id']
  const afterwards = told === 'unknown' ? await outcomeOf(bench, String(operationId)) : told
  return { stage, delivered: await countDelivered(friends, name, told), told, afterwards }
}

/** A stage that no call comes to would be a kill of nothing. */
function failEarly(stage: KillStage, answer: unknown): never {
  throw new Error(`a send ended before it came to ${stage}: ${JSON.stringify(answer)}`)
}

interface SendCall {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

async function letterOf({ friend }: KillBench, name: string): Promise<SendCall> {
  const args = { action: 'send', to: [friend.email], subject: name, body: `${name}\n${'words '.repeat(200)}` }
  return { tool: 'email_compose', args: { ...args, idempotency_key: name } }
}

async function draftOf(bench: KillBench, name: string): Promise<SendCall> {
  const { args } = await letterOf(bench, name)
  const { answer, error } = await bench.insist('draft', { ...args, action: 'create' })
  if (answer === null) throw new Error(`no draft: ${JSON.stringify(error)}`)
  return { tool: 'draft', args: { action: 'send', draft_id: answer['draft_id'], idempotency_key: name } }
}

async function outcomeOf(bench: KillBench, operationId: string): Promise<string> {
  const { answer, error } = await bench.insist('operation_get', { operation_id: operationId })
  return String(answer?.['outcome'] ?? error?.['error_code'])
}

const arrivalMs = 3_000

/** What was sent is waited for; of anything else it is looked whether it came all the same. */
async function countDelivered(friends: ImapFlow, name: string, told: string): Promise<number> {
  const until = Date.now() + arrivalMs
  for (;;) {
    const lock = await friends.getMailboxLock('INBOX')
    try {
      await friends.noop()
      const found = await friends.search({ subject: name }, { uid: true })
      const count = found === false || found === undefined ? 0 : found.length
      if (count > 0 || told !== 'sent' || Date.now() > until) return count
    } finally {
      lock.release()
    }
    await sleep(50)
  }
}
