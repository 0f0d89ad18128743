import { noCommandInFetchLoop } from './no-command-in-fetch-loop.ts'
import { ruleTester } from './rule-tester.ts'

const loop = (head: string, body: string): string => `async function f() { for await (${head}) { ${body} } }`

ruleTester.run('check 246: a command issued inside a fetch loop is a lint failure', noCommandInFetchLoop, {
  valid: [
    { name: 'collecting', code: loop(`const m of client.fetch('1:*', {})`, 'found.push(m)') },
    {
      name: 'a loop over what was collected',
      code: `async function f() { for (const m of all) { await client.x(m) } }`,
    },
    { name: 'another async iterable', code: loop('const chunk of stream', 'await write(chunk)') },
    { name: 'the global fetch', code: loop('const x of fetch(url)', 'await use(x)') },
  ],
  invalid: [
    {
      name: 'a flag',
      code: loop(`const m of client.fetch('1:*', {})`, 'await client.messageFlagsAdd(m.uid)'),
      errors: 1,
    },
    {
      name: 'a command behind a function',
      code: loop('const m of c.fetch(r, q)', 'if (m) await mark(m)'),
      errors: 1,
    },
    {
      name: 'a property of a property',
      code: loop('const m of lease.client.fetch(r, q)', 'await go(m)'),
      errors: 1,
    },
  ],
})
