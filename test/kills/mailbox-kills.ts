import type { ImapFlow } from 'imapflow'
import type { HoldPoint } from './hold-proxy.ts'
import type { KillBench } from './kill-bench.ts'

/** What is done to a mailbox while the service is killed. */
export const mailboxActs = ['draft update', 'move', 'trash', 'delete for ever'] as const
export type MailboxAct = (typeof mailboxActs)[number]

/** What one kill came to. */
export interface MailboxKill {
  readonly act: MailboxAct
  /** The command at which it stood still, and whether the server had carried it out. */
  readonly at: string
  readonly told: string
  readonly afterwards: string
  /** What must never be: null, or what it was. */
  readonly broken: string | null
}

const changing = ['APPEND', 'UID MOVE', 'UID COPY', 'UID STORE', 'UID EXPUNGE'] as const

/** The commands of each act, with MOVE and without. */
const commands: Readonly<
  Record<MailboxAct, Readonly<Record<'move' | 'copy', readonly (typeof changing)[number][]>>>
> = {
  'draft update': {
    move: ['APPEND', 'UID STORE', 'UID EXPUNGE'],
    copy: ['APPEND', 'UID STORE', 'UID EXPUNGE'],
  },
  move: { move: ['UID MOVE'], copy: ['UID COPY', 'UID STORE', 'UID EXPUNGE'] },
  trash: { move: ['UID MOVE'], copy: ['UID COPY', 'UID STORE', 'UID EXPUNGE'] },
  'delete for ever': { move: ['UID STORE', 'UID EXPUNGE'], copy: ['UID STORE', 'UID EXPUNGE'] },
}

/** Every place at which an act can be cut: before each of its commands, and after the server has carried it out. */
export function placesOf(act: MailboxAct, has: 'move' | 'copy'): readonly HoldPoint[] {
  return commands[act][has].flatMap((name) =>
    (['before', 'after'] as const).map((when): HoldPoint => ({
      at: 'command',
      line: new RegExp(`^\\S+ ${name} `, 'i'),
      when,
    })),
  )
}

interface Work {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** What must hold whatever was told. */
  readonly check: (told: string) => Promise<string | null>
}

/** Kills the service in one act at one place, repeats the call until there is an answer, and looks at the mailbox. */
export async function killInAct(
  bench: KillBench,
  own: ImapFlow,
  act: MailboxAct,
  point: HoldPoint,
): Promise<MailboxKill> {
  const name = `${act} ${Math.random().toString(36).slice(2)}`
  const { tool, args, check } = await works[act](bench, own, name)
  const call = { ...args, idempotency_key: name }
  const held = bench.imap.holdAt(point)
  const first = bench.call(tool, call).catch(() => null)
  await Promise.race([
    held,
    first.then((answer) => {
      throw new Error(`${act} ended before it was held: ${JSON.stringify(answer)}`)
    }),
  ])
  await bench.gateway.kill()
  await first
  bench.imap.release()
  await bench.gateway.start()
  const { answer, error } = await bench.insist(tool, call)
  const told = String(answer?.['outcome'] ?? error?.['error_code'])
  const afterwards = told === 'unknown' ? await lookUp(bench, answer?.['operation_id']) : told
  const at = point.at === 'command' ? `${point.when} ${point.line.source.slice(5).trim()}` : point.at
  return { act, at, told, afterwards, broken: await check(afterwards) }
}

async function lookUp(bench: KillBench, operationId: unknown): Promise<string> {
  const { answer, error } = await bench.insist('operation_get', { operation_id: operationId })
  return String(answer?.['outcome'] ?? error?.['error_code'])
}

const works: Readonly<Record<MailboxAct, (bench: KillBench, own: ImapFlow, name: string) => Promise<Work>>> =
  {
    async 'draft update'(bench, own, name) {
      const { answer, error } = await bench.insist('draft', {
        action: 'create',
        subject: name,
        body: 'the old words',
      })
      if (answer === null) throw new Error(`no draft: ${JSON.stringify(error)}`)
      const args = { action: 'update', draft_id: answer['draft_id'], body: 'the new words' }
      return {
        tool: 'draft',
        args,
        async check(told) {
          const olds = await countIn(own, 'Drafts', { subject: name, body: 'the old words' })
          const news = await countIn(own, 'Drafts', { subject: name, body: 'the new words' })
          if (olds + news === 0) return 'no draft is left'
          if (told === 'done' && news !== 1) return `done, and ${String(news)} new drafts`
          return told === 'done' && olds > 0 ? 'done, and the old draft is still there' : null
        },
      }
    },
    move: (bench, own, name) =>
      onMessage(bench, own, name, {
        tool: 'email_organize',
        args: { action: 'move', destination_folder_id: 'Target' },
        target: 'Target',
      }),
    trash: (bench, own, name) =>
      onMessage(bench, own, name, { tool: 'email_delete', args: { action: 'delete' }, target: 'Trash' }),
    'delete for ever': (bench, own, name) =>
      onMessage(bench, own, name, {
        tool: 'email_delete',
        args: { action: 'delete', permanent: true },
        target: null,
      }),
  }

interface Act {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** Where the message goes; null: nowhere. */
  readonly target: string | null
}

/** One message, beside one that another client has marked as deleted and that is nobody's to remove. */
async function onMessage(
  bench: KillBench,
  own: ImapFlow,
  name: string,
  { tool, args, target }: Act,
): Promise<Work> {
  const others = `Others ${name}`
  await own.append('INBOX', letter(others), ['\\Deleted'])
  await own.append('INBOX', letter(name))
  const { answer } = await bench.insist('email_read', { action: 'search', folder: undefined, subject: name })
  const rows = (answer?.['messages'] ?? []) as { readonly message_id: string; readonly subject: string }[]
  const row = rows.find(({ subject }) => subject === name)
  if (row === undefined) throw new Error(`the message is not found: ${JSON.stringify(answer)}`)
  return {
    tool,
    args: { ...args, message_id: row.message_id },
    async check(told) {
      if ((await countIn(own, 'INBOX', { subject: others })) !== 1)
        return 'a message of another client is gone'
      const here = await countIn(own, 'INBOX', { subject: name, deleted: false }, others)
      const there = target === null ? 0 : await countIn(own, target, { subject: name, deleted: false })
      if (target !== null && here + there === 0) return 'the message is gone'
      if (told === 'done' && here > 0) return 'done, and the message is where it was'
      return told === 'done' && target !== null && there !== 1
        ? `done, and there ${String(there)} times`
        : null
    },
  }
}

function letter(subject: string): Buffer {
  const lines = ['From: Amy <amy@sender.example>', 'To: owner@example.test', `Subject: ${subject}`]
    .concat(`Message-ID: <${subject.replaceAll(' ', '.')}@sender.example>`)
    .concat('Date: Mon, 16 Nov 2026 09:00:00 +0000', '', 'Words.', '')
  return Buffer.from(lines.join('\r\n'))
}

interface Wanted {
  readonly subject: string
  readonly body?: string
  readonly deleted?: boolean
}

/** @param but messages of that subject are not counted: a server finds a subject within a longer one. */
async function countIn(own: ImapFlow, folder: string, wanted: Wanted, but?: string): Promise<number> {
  const path = (await own.list()).find(({ name }) => name.toLowerCase() === folder.toLowerCase())?.path
  if (path === undefined) return 0
  const lock = await own.getMailboxLock(path)
  try {
    await own.noop()
    const query = but === undefined ? wanted : { ...wanted, not: { subject: but } }
    const found = await own.search(query, { uid: true })
    return found === false || found === undefined ? 0 : found.length
  } finally {
    lock.release()
  }
}
