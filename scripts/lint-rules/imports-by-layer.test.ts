import { importsByLayer } from './imports-by-layer.ts'
import { ruleTester } from './rule-tester.ts'

const mail = '/repo/packages/mail/src/address.ts'
const tools = '/repo/packages/tools/src/call-tool.ts'
const cli = '/repo/apps/cli/src/main.ts'

ruleTester.run('imports follow the table', importsByLayer, {
  valid: [
    { name: 'a package below', filename: mail, code: `import { Fault } from '@postern/core'` },
    { name: 'a neighbour', filename: mail, code: `import { x } from './text.ts'` },
    { name: 'a library at home', filename: mail, code: `import { parse } from 'parse5'` },
    { name: 'a module of Node', filename: mail, code: `import { join } from 'node:path'` },
    {
      name: 'the start of the gateway',
      filename: cli,
      code: `import { start } from '@postern/gateway/start'`,
    },
    {
      name: 'fixtures in a test',
      filename: '/repo/packages/tools/src/x.test.ts',
      code: `import { tenant } from '@postern/fixtures'`,
    },
    { name: 'a file outside the packages', filename: '/repo/scripts/x.ts', code: `import pg from 'pg'` },
  ],
  invalid: [
    { name: 'a package above', filename: mail, code: `import { x } from '@postern/store'`, errors: 1 },
    {
      name: 'a type from above',
      filename: tools,
      code: `import type { X } from '@postern/providers'`,
      errors: 1,
    },
    { name: 'a library of another home', filename: tools, code: `import pg from 'pg'`, errors: 1 },
    {
      name: 'half of a library that lives elsewhere',
      filename: '/repo/packages/outbox/src/compose.ts',
      code: `import SMTPConnection from 'nodemailer/lib/smtp-connection'`,
      errors: 1,
    },
    { name: 'part of a library', filename: tools, code: `import x from 'imapflow/lib/tools'`, errors: 1 },
    {
      name: 'inside a package',
      filename: tools,
      code: `import { x } from '@postern/mail/src/text.ts'`,
      errors: 1,
    },
    {
      name: 'a path into a package',
      filename: tools,
      code: `import { x } from '../../../packages/mail/src/text.ts'`,
      errors: 1,
    },
    {
      name: 'the inside of the gateway',
      filename: cli,
      code: `import { x } from '@postern/gateway/app'`,
      errors: 1,
    },
    {
      name: 'fixtures outside a test',
      filename: tools,
      code: `import { x } from '@postern/fixtures'`,
      errors: 1,
    },
    { name: 'on demand', filename: tools, code: `await import('@postern/store')`, errors: 1 },
    { name: 'passed on', filename: tools, code: `export { x } from '@postern/store'`, errors: 1 },
    {
      name: 'a package that does not exist',
      filename: tools,
      code: `import x from '@postern/nothing'`,
      errors: 1,
    },
  ],
})
