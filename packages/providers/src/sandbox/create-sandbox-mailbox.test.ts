import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import PostalMime, { type Email } from 'postal-mime'
import { createSandboxMailbox } from './create-sandbox-mailbox.ts'
import { sandboxAuthservId, type SandboxMessage } from './sandbox-message.ts'

const owner = 'robin@sandbox.example'
const now = new Date('2026-11-30T19:45:00Z')
const dayMs = 86_400_000

interface Both {
  readonly message: SandboxMessage
  readonly raw: string
  readonly email: Email
}

let all: readonly Both[] = []

before(async () => {
  const messages = await createSandboxMailbox(owner, now)
  all = await Promise.all(
    messages.map(async (message) => ({
      message,
      raw: Buffer.from(message.raw).toString('latin1'),
      email: await PostalMime.parse(message.raw),
    })),
  )
})

const addressesIn = (value: string): string[] => value.match(/[\w.+'=-]+@[\w.-]+/g) ?? []
const hasBareOctets = (raw: string): boolean => /[\u0080-\u00ff]/.test(raw.slice(0, raw.indexOf('\r\n\r\n')))
const isReserved = (host: string): boolean => /(?:^|\.)(?:example|test)$/.test(host.toLowerCase())

test('there are about three hundred messages, in every folder with a role and in folders of its own', () => {
  assert.ok(all.length >= 290 && all.length <= 320, String(all.length))
  const roles = new Set(all.map(({ message }) => message.role))
  for (const role of ['inbox', 'sent', 'drafts', 'archive', 'trash', 'spam', null] as const) {
    assert.ok(roles.has(role), String(role))
  }
  const folders = new Set(all.map(({ message }) => message.folder))
  assert.ok(folders.has('Projects/Caf\u00e9 Lumi\u00e8re'))
})

test('the same owner and instant give the same octets', async () => {
  const again = await createSandboxMailbox(owner, now)
  assert.equal(again.length, all.length)
  for (const [index, message] of again.entries()) {
    assert.deepEqual(message, all[index]?.message)
  }
})

test('another owner gets other message ids', async () => {
  const other = await createSandboxMailbox('kim@sandbox.example', now)
  const ids = new Set(all.map(({ email }) => email.messageId))
  for (const message of other) {
    const id = /^Message-ID: (<[^>]+>)/m.exec(Buffer.from(message.raw).toString('latin1'))?.[1]
    assert.ok(id !== undefined && !ids.has(id))
  }
})

test('every message parses, with an author, a subject, a date, a unique id and something to read', () => {
  const ids = new Set<string>()
  for (const { email, message, raw } of all) {
    assert.ok(email.from?.address !== undefined && email.from.address.length > 3)
    assert.ok(email.subject !== undefined && email.subject.trim().length > 0)
    assert.ok(email.messageId !== undefined && !ids.has(email.messageId))
    ids.add(email.messageId)
    assert.ok(Math.abs(Date.parse(email.date ?? '') - message.receivedAt.getTime()) < 60_000, email.subject)
    const text = `${email.text ?? ''}${email.html ?? ''}`
    assert.ok(text.trim().length > 5, email.subject)
    // postal-mime does not guess the charset of bare octets in a header; whether we do is another test.
    const subject = hasBareOctets(raw) ? '' : email.subject
    assert.doesNotMatch(`${subject}${text}`, /\ufffd|\{(?:[a-z]+\}|month|[+-]\d)/, email.subject)
  }
})

test('lines end in CRLF, are at most 998 octets, and headers are ASCII but for the one careless sender', () => {
  const rawHeaders = []
  for (const { raw } of all) {
    assert.doesNotMatch(raw.replaceAll('\r\n', ''), /[\r\n]/)
    assert.ok(raw.split('\r\n').every((line) => line.length <= 998))
    if (hasBareOctets(raw)) rawHeaders.push(raw)
  }
  assert.equal(rawHeaders.length, 1)
})

test('nothing lies in the future and the mail spreads over the last months up to this hour', () => {
  const ages = all.map(({ message }) => now.getTime() - message.receivedAt.getTime())
  assert.ok(ages.every((age) => age >= 0))
  for (const month of [0, 1, 2, 3]) {
    const within = ages.filter((age) => age >= month * 30 * dayMs && age < (month + 1) * 30 * dayMs)
    assert.ok(within.length >= 5, `month ${month}: ${within.length}`)
  }
  assert.ok(ages.some((age) => age < 3_600_000))
})

test('it holds together just after midnight, too', async () => {
  const midnight = new Date('2027-03-01T00:00:30Z')
  const messages = await createSandboxMailbox(owner, midnight)
  assert.equal(messages.length, all.length)
  assert.ok(messages.every((message) => message.receivedAt.getTime() <= midnight.getTime()))
})

test('every address and every link leads to a reserved name', () => {
  for (const { raw, email } of all) {
    const header = raw.slice(0, raw.indexOf('\r\n\r\n'))
    const text = `${header}\n${email.text ?? ''}\n${email.html ?? ''}`
    for (const address of addressesIn(text)) {
      assert.ok(isReserved(address.slice(address.lastIndexOf('@') + 1).replace(/\.$/, '')), address)
    }
    for (const [, host = ''] of text.matchAll(/https?:\/\/([\w.-]+)/g)) assert.ok(isReserved(host), host)
  }
})

test('mail came in many charsets and transfer encodings, and reads right in each language', () => {
  const source = all.map(({ raw }) => raw.toLowerCase()).join('\n')
  const charsets = [
    'utf-8',
    'us-ascii',
    'iso-8859-1',
    'iso-8859-15',
    'windows-1252',
    'iso-2022-jp',
    'shift_jis',
  ]
  for (const charset of [...charsets, 'gb2312', 'gb18030', 'windows-1256', 'koi8-r', 'windows-1251']) {
    assert.ok(source.includes(`charset=${charset}`), charset)
  }
  for (const encoding of ['7bit', '8bit', 'quoted-printable', 'base64']) {
    assert.ok(source.includes(`content-transfer-encoding: ${encoding}`), encoding)
  }
  const read = all.map(({ email }) => `${email.subject ?? ''}\n${email.text ?? ''}`).join('\n')
  for (const phrase of [
    'Unser gro\u00dfer Ofen',
    'pas plus de six trous',
    'El pedido m\u00ednimo',
    '\u6728\u88fd\u53f0\u5ea7\u306e\u304a\u898b\u7a4d\u308a',
    '\u8c03\u5149\u5668\u5168\u90e8\u514d\u8d39\u66f4\u6362',
    '\u0642\u0627\u0626\u0645\u0629 \u0627\u0644\u0623\u0633\u0639\u0627\u0631',
    '\u043a\u0430\u0442\u0430\u043b\u043e\u0433 \u0438 \u043e\u043f\u0442\u043e\u0432\u044b\u0435 \u0446\u0435\u043d\u044b',
  ]) {
    assert.ok(read.includes(phrase), phrase)
  }
})

test('a reply names a message that is there, or one the mailbox once answered', () => {
  const ids = new Set(all.map(({ email }) => email.messageId))
  const replies = all.filter(({ email }) => email.inReplyTo !== undefined)
  assert.ok(replies.length > 80)
  for (const { email } of replies) assert.ok(ids.has(email.inReplyTo), email.subject)
})

test('attachments are real files of their kind', () => {
  const files = all.flatMap(({ email }) => email.attachments)
  const types = new Set(files.map((file) => file.mimeType))
  for (const type of ['application/pdf', 'image/png', 'text/csv', 'text/calendar', 'message/rfc822']) {
    assert.ok(types.has(type), type)
  }
  for (const file of files) {
    const content = octetsOf(file.content)
    if (file.mimeType === 'application/pdf') assertPdf(content.toString('latin1'))
    if (file.mimeType === 'image/png') assert.equal(content.subarray(1, 4).toString(), 'PNG')
  }
})

function octetsOf(content: string | ArrayBuffer | Uint8Array): Buffer {
  if (typeof content === 'string' || content instanceof Uint8Array) return Buffer.from(content)
  return Buffer.from(content)
}

function assertPdf(text: string): void {
  assert.match(text, /^%PDF-1\.4\n/)
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1])
  assert.equal(text.slice(start, start + 4), 'xref')
  for (const [index, [, offset]] of [...text.matchAll(/^(\d{10}) 00000 n $/gm)].entries()) {
    assert.ok(text.slice(Number(offset)).startsWith(`${index + 1} 0 obj`))
  }
}

test('the sandbox server put its verdict above everything that senders claim', () => {
  for (const { raw, email } of all) {
    const claims = [...raw.slice(0, raw.indexOf('\r\n\r\n')).matchAll(/^Authentication-Results: ([^;]+);/gm)]
    const isOwn = email.from?.address === owner
    assert.equal(claims.length > 0, !isOwn, email.subject)
    if (!isOwn) assert.equal(claims[0]?.[1], sandboxAuthservId)
  }
  const forged = all.filter(({ raw }) => (raw.match(/^Authentication-Results:/gm) ?? []).length > 1)
  assert.equal(forged.length, 1)
  assert.match(forged[0]?.raw ?? '', /spf=fail/)
})

test('it has what an agent must not fall for: orders in plain sight, orders in hiding, lookalikes', () => {
  const bodies = all.map(({ email }) => `${email.text ?? ''}${email.html ?? ''}`)
  assert.ok(bodies.some((body) => body.includes('Ignore all previous instructions')))
  assert.ok(bodies.some((body) => body.includes('display:none') && body.includes('Assistant:')))
  const senders = new Set(all.map(({ email }) => email.from?.address?.split('@')[1]))
  assert.ok(senders.has('marsh-ledger.example') && senders.has('marsh-1edger.example'))
  assert.ok([...senders].some((domain) => domain?.startsWith('xn--')))
})

test('the questions people ask first have answers', () => {
  const from = (address: string): Both[] => all.filter(({ email }) => email.from?.address === address)
  const accountant = from('helen@marsh-ledger.example').filter(
    ({ message }) => message.receivedAt < now && now.getTime() - message.receivedAt.getTime() < 45 * dayMs,
  )
  assert.ok(accountant.some(({ email }) => email.text?.includes('mileage log') === true))
  const weekly = all.filter(
    ({ raw, message }) =>
      raw.includes('\r\nList-Unsubscribe: <https') &&
      now.getTime() - message.receivedAt.getTime() < 7 * dayMs,
  )
  assert.ok(weekly.length >= 5)
  const lease = all.filter(({ email }) => /lease/i.test(`${email.subject} ${email.text ?? ''}`))
  assert.ok(new Set(lease.map(({ email }) => email.from?.address)).size >= 4)
})
