import { catchOnlyToRethrow } from './catch-only-to-rethrow.ts'
import { ruleTester } from './rule-tester.ts'

const filename = '/repo/packages/mail/src/address.ts'

ruleTester.run('a caught error is thrown on', catchOnlyToRethrow, {
  valid: [
    { name: 'translated', filename, code: 'try { go() } catch (error) { throw toFault(error) }' },
    { name: 'cleaned up after', filename, code: 'try { go() } catch (error) { close(); throw error }' },
    { name: 'a promise, translated', filename, code: 'go().catch((e) => { throw toFault(e) })' },
    { name: 'not caught', filename, code: 'try { go() } finally { close() }' },
    {
      name: 'an error that ends in a test',
      filename: '/repo/packages/mail/src/address.test.ts',
      code: 'try { go() } catch {}',
    },
    { name: 'a function called catch', filename, code: 'function f(catcher) { catcher() }' },
  ],
  invalid: [
    { name: 'an empty catch', filename, code: 'try { go() } catch {}', errors: 1 },
    {
      name: 'a failure made an empty answer',
      filename,
      code: 'function f() { try { return go() } catch { return [] } }',
      errors: 1,
    },
    {
      name: 'thrown only sometimes',
      filename,
      code: 'try { go() } catch (e) { if (bad(e)) throw e }',
      errors: 1,
    },
    { name: 'a promise', filename, code: 'go().catch(() => undefined)', errors: 1 },
  ],
})
