import { ownWordsInPublic } from './own-words-in-public.ts'
import { ruleTester } from './rule-tester.ts'

const fault = (text: string, before = ''): string =>
  `${before}\nthrow new Fault('provider_error', { public: ${text}, internal: error.message })`

ruleTester.run('a public text holds only our own words', ownWordsInPublic, {
  valid: [
    { name: 'a constant', code: fault(`'Nothing was changed.'`) },
    {
      name: 'a number and what the caller passed',
      code: fault('`${limit} rows; ${quote(value)} was given.`'),
    },
    { name: 'a constant of the same file', code: fault('`Failed. ${hint2}`', `const hint2 = 'Repeat.'`) },
    { name: 'the name of an argument', code: fault('`${spec.name} must be one of ${names.join(", ")}.`') },
    {
      name: 'a parameter that every caller fills with a constant',
      code: `function f(why: string) { return new Fault('timeout', { public: why }) }\nf('Too late.')`,
    },
    {
      name: 'a number out of a caught error',
      code: `try { go() } catch (e) { throw new Fault('timeout', { public: \`Wait ${'${e.seconds}'} s.\` }) }`,
    },
    { name: 'public outside a Fault', code: 'const rule = { public: error.message }' },
    { name: 'the error in the internal text', code: `try { go() } catch (error) { ${fault(`'Failed.'`)} }` },
  ],
  invalid: [
    { name: 'the message of an error', code: fault('`Failed: ${problem.message}`'), errors: 1 },
    { name: 'what a server answered', code: fault('reply.responseText'), errors: 1 },
    { name: 'a quoted server text', code: fault('`It said ${quote(reply.responseText)}`'), errors: 1 },
    { name: 'a subject', code: fault('`No message called ${message.subject}`'), errors: 1 },
    { name: 'a name in brackets', code: fault(`item['filename']`), errors: 1 },
    {
      name: 'the caught error itself',
      code: `try { go() } catch (oops) { throw new Fault('timeout', { public: String(oops) }) }`,
      errors: 1,
    },
    {
      name: 'an error kept in a constant first',
      code: fault('text', 'const text = `Failed: ${reply.responseText}`'),
      errors: 1,
    },
    {
      name: 'an error handed to a function that makes the fault',
      code: `function f(why: string) { return new Fault('timeout', { public: why }) }\nf(reply.responseText)`,
      errors: 1,
    },
    {
      name: 'an error handed to an arrow that makes the fault',
      code: `const f = (n: number, why: string) => new Fault('timeout', { public: why })\nf(1, oops.message)`,
      errors: 1,
    },
    { name: 'a destructured field', code: fault('subject', 'const { subject } = message'), errors: 1 },
  ],
})
