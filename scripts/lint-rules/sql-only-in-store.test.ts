import { ruleTester } from './rule-tester.ts'
import { sqlOnlyInStore } from './sql-only-in-store.ts'

ruleTester.run('queries are written in the store only', sqlOnlyInStore, {
  valid: [
    { name: 'a store function', code: 'await listInboxes(trx)' },
    { name: 'a function of that name', code: 'selectFrom(options)' },
  ],
  invalid: [
    { name: 'a select', code: `db.selectFrom('inboxes').execute()`, errors: 1 },
    { name: 'an insert', code: `trx.insertInto('tenants').values(x).execute()`, errors: 1 },
    { name: 'a delete', code: `trx.deleteFrom('tenants').executeTakeFirst()`, errors: 2 },
  ],
})
