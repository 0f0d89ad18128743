import { reExportOnlyInIndex } from './re-export-only-in-index.ts'
import { ruleTester } from './rule-tester.ts'

ruleTester.run('only index.ts re-exports', reExportOnlyInIndex, {
  valid: [
    { name: 'an index', filename: '/repo/packages/mail/src/index.ts', code: `export { x } from './x.ts'` },
    {
      name: 'the rest of a file',
      filename: '/repo/packages/providers/src/contract.ts',
      code: `export type { X } from './contract/mailbox.ts'`,
    },
    { name: 'an export of its own', filename: '/repo/packages/mail/src/x.ts', code: 'export const x = 1' },
  ],
  invalid: [
    {
      name: 'one name',
      filename: '/repo/packages/mail/src/all.ts',
      code: `export { x } from './x.ts'`,
      errors: 1,
    },
    {
      name: 'everything',
      filename: '/repo/packages/mail/src/reindex.ts',
      code: `export * from './x.ts'`,
      errors: 1,
    },
  ],
})
