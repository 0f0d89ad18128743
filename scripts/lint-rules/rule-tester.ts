import { describe, it } from 'node:test'
import { RuleTester } from 'oxlint/plugins-dev'

RuleTester.describe = (name, body) => void describe(name, body)
RuleTester.it = (name, body) => void it(name, body)

/** The linter's own tester, speaking to node:test and reading TypeScript. */
export const ruleTester = new RuleTester({ languageOptions: { parserOptions: { lang: 'ts' } } })
