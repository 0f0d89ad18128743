import { readFile } from 'node:fs/promises'
import { z } from 'zod'

// The texts are data, in `content/`, read when the first sandbox opens. The shapes are strict, so that a
// misspelt field is a failing test and not a message that quietly lacks something.
const person = z.strictObject({ name: z.string(), email: z.string(), zone: z.string().optional() })
const who = z.union([z.string(), person])
const form = z.enum(['plain', 'both', 'html'])
const verdict = z.enum(['pass', 'fail', 'softfail', 'none'])
const file = z.strictObject({ name: z.string(), lines: z.array(z.string()) })

const turn = z.strictObject({
  from: who,
  to: z.array(z.string()).optional(),
  cc: z.array(z.string()).default([]),
  replyTo: z.string().optional(),
  ago: z.string(),
  subject: z.string().optional(),
  rawSubject: z.boolean().default(false),
  language: z.string().optional(),
  text: z.array(z.string()).default([]),
  html: z.array(z.string()).optional(),
  form: form.default('plain'),
  quote: z.boolean().default(false),
  charset: z.string().optional(),
  encoding: z.enum(['7bit', '8bit', 'quoted-printable', 'base64']).optional(),
  files: z.array(file).default([]),
  picture: z.string().optional(),
  forwards: z
    .strictObject({
      from: z.string(),
      to: z.string(),
      ago: z.string(),
      subject: z.string(),
      language: z.string(),
      text: z.array(z.string()),
    })
    .optional(),
  verdict: verdict.default('pass'),
  extra: z.array(z.string()).default([]),
  marks: z.array(z.enum(['unread', 'flagged', 'draft'])).default([]),
  folder: z.string().optional(),
})

const conversation = z.strictObject({
  id: z.string(),
  subject: z.string(),
  language: z.string().default('en-GB'),
  folder: z.string().default('INBOX'),
  list: z.strictObject({ name: z.string(), address: z.string(), listId: z.string() }).optional(),
  /** Each turn is an issue of a weekly mail, newest first, not a reply to the one before. */
  weekly: z.boolean().default(false),
  turns: z.array(turn),
})

const newsletter = z.strictObject({
  key: z.string(),
  from: person,
  weekday: z.int().min(0).max(6),
  clock: z.string(),
  accent: z.string(),
  form,
  language: z.string().default('en-GB'),
  folder: z.string().default('INBOX'),
  issues: z.array(
    z.strictObject({
      subject: z.string(),
      lead: z.string(),
      items: z.array(z.tuple([z.string(), z.string()])),
    }),
  ),
})

const notice = z.strictObject({
  key: z.string(),
  from: person,
  form,
  folder: z.string().default('INBOX'),
  subject: z.string(),
  text: z.array(z.string()),
  file: file.optional(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string())),
})

const events = z.strictObject({
  invitations: z.array(
    z.strictObject({
      key: z.string(),
      method: z.enum(['REQUEST', 'CANCEL', 'REPLY']).default('REQUEST'),
      from: who,
      ago: z.string(),
      summary: z.string(),
      start: z.string(),
      minutes: z.int(),
      location: z.string(),
      rule: z.string().optional(),
      text: z.array(z.string()),
    }),
  ),
  bounces: z.array(
    z.strictObject({
      ago: z.string(),
      sent: z.string(),
      to: z.string(),
      subject: z.string(),
      status: z.string(),
      diagnostic: z.string(),
      action: z.enum(['failed', 'delayed']),
    }),
  ),
})

export type Person = z.infer<typeof person>
export type Who = z.infer<typeof who>
export type Form = z.infer<typeof form>
export type Verdict = z.infer<typeof verdict>
export type FileTable = z.infer<typeof file>
export type Turn = z.infer<typeof turn>
export type Conversation = z.infer<typeof conversation>
export type Newsletter = z.infer<typeof newsletter>
export type Notice = z.infer<typeof notice>
export type Invitation = z.infer<typeof events>['invitations'][number]
export type Bounce = z.infer<typeof events>['bounces'][number]

export interface Content {
  readonly people: ReadonlyMap<string, Person>
  /** How a reply introduces what it quotes, by language; holds `{date}` and `{name}`. */
  readonly attributions: ReadonlyMap<string, string>
  readonly conversations: readonly Conversation[]
  readonly newsletters: readonly Newsletter[]
  readonly notices: readonly Notice[]
  readonly invitations: readonly Invitation[]
  readonly bounces: readonly Bounce[]
}

const conversationFiles = [
  'business',
  'company',
  'customers',
  'family',
  'hostile',
  'lists',
  'property',
  'publicity',
  'suppliers',
  'suppliers-overseas',
] as const

/** Everything the sandbox is made of. @throws ZodError when a table does not have the shape above. */
export async function readContent(): Promise<Content> {
  const conversations = await Promise.all(
    conversationFiles.map(async (name) => z.array(conversation).parse(await readTable(name))),
  )
  const { invitations, bounces } = events.parse(await readTable('events'))
  return {
    people: new Map(Object.entries(z.record(z.string(), person).parse(await readTable('people')))),
    attributions: new Map(
      Object.entries(z.record(z.string(), z.string()).parse(await readTable('attributions'))),
    ),
    conversations: conversations.flat(),
    newsletters: z.array(newsletter).parse(await readTable('newsletters')),
    notices: z.array(notice).parse(await readTable('notices')),
    invitations,
    bounces,
  }
}

async function readTable(name: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(`content/${name}.json`, import.meta.url), 'utf8'))
}
