import { closedLogFields } from './closed-log-fields.ts'
import { ruleTester } from './rule-tester.ts'

ruleTester.run('no mail reaches a log line', closedLogFields, {
  valid: [
    { name: 'an event alone', code: `log.info('started')` },
    {
      name: 'ids and counts',
      code: `call.log.info('tool call', { inbox_id: inbox.id, count: rows.length })`,
    },
    { name: 'one event or another', code: `log.info(ok ? 'opened' : 'refused', { duration_ms: 3 })` },
    {
      name: 'how much there is',
      code: `log.info('x', { count: body.length, result_bytes: list.reduce((n, { text }) => n + Buffer.byteLength(text), 0) })`,
    },
    { name: 'a field left out', code: `log.warn('failed', { ...(ref === null ? {} : { reference: ref }) })` },
    { name: 'fields for every line', code: `const own = log.with({ request_id: id })` },
    { name: 'another object', code: `console.error(message.subject)` },
    { name: 'mathematics', code: 'Math.log(body)' },
  ],
  invalid: [
    { name: 'a subject', code: `log.info('read', { cause: message.subject })`, errors: 1 },
    { name: 'an address', code: `this.log.warn('sent', { cause: address })`, errors: 1 },
    { name: 'an event pieced together', code: 'log.info(`read ${message.subject}`)', errors: 1 },
    { name: 'a whole message', code: `log.info('read', { ...message })`, errors: 1 },
    { name: 'a variable', code: `log.info('read', fields)`, errors: 1 },
    { name: 'a computed key', code: `log.info('read', { [name]: 1 })`, errors: 1 },
    {
      name: 'a mail field in a spread',
      code: `log.info('x', { ...(a ? {} : { cause: mail.snippet }) })`,
      errors: 1,
    },
    { name: 'a field of every line', code: `log.with({ cause: query })`, errors: 1 },
  ],
})
