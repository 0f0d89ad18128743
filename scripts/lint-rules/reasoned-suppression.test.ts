import { reasonedSuppression } from './reasoned-suppression.ts'
import { ruleTester } from './rule-tester.ts'

ruleTester.run('a silenced rule says why', reasonedSuppression, {
  valid: [
    { name: 'no suppression', code: '// why: the server may close first\ngo()' },
    {
      name: 'one line with a reason',
      code: '// oxlint-disable-next-line no-console -- the one line a user sees\ngo()',
    },
    { name: 'an expected type error', code: '// @ts-expect-error a read tool holds no write verbs\ngo()' },
  ],
  invalid: [
    { name: 'no reason', code: '// oxlint-disable-next-line no-console\ngo()', errors: 1 },
    {
      name: 'a whole file',
      code: '/* eslint-disable no-console -- it is easier that way */\ngo()',
      errors: 1,
    },
    { name: 'an unexplained type error', code: '// @ts-expect-error\ngo()', errors: 1 },
    { name: 'an ignored type error', code: '// @ts-ignore because it is easier that way\ngo()', errors: 1 },
  ],
})
