import { assertNever } from '@postern/core'
import type { Criterion, HeaderName, TextField } from '@postern/mail'
import { dayAtom } from './day-atom.ts'
import { atom, text, type Argument } from './wire.ts'

export interface CompiledSearch {
  /** Search keys, joined by AND as IMAP does it. Never empty. */
  readonly keys: readonly Argument[]
  /** A string is beyond ASCII, and the connection does not speak UTF-8 anyway: the command must name the charset. */
  readonly needsCharset: boolean
}

export interface CompileOptions {
  /** After ENABLE UTF8=ACCEPT (RFC 6855) strings are UTF-8 and CHARSET is forbidden. */
  readonly isUtf8: boolean
  /** What `from:me` stands for. */
  readonly ownAddresses: readonly string[]
}

const textKeys: Readonly<Record<TextField, string>> = {
  from: 'FROM',
  to: 'TO',
  cc: 'CC',
  bcc: 'BCC',
  subject: 'SUBJECT',
  body: 'BODY',
  text: 'TEXT',
}
const headerNames: Readonly<Record<HeaderName, string>> = {
  'message-id': 'Message-ID',
  'list-id': 'List-Id',
  'delivered-to': 'Delivered-To',
}
const flagKeys = {
  seen: ['SEEN', 'UNSEEN'],
  flagged: ['FLAGGED', 'UNFLAGGED'],
  answered: ['ANSWERED', 'UNANSWERED'],
} as const

/**
 * A criterion as search keys in prefix form: `OR a OR b c`, `NOT (a b)`. Strings are quoted or literal, so that no
 * value can end one. `since` and `before` stand for whole days; `planSearch` has made them so.
 * Source: RFC 3501 6.4.4.
 * @throws TypeError for criteria that a server cannot decide and for folder tests, which the plan has resolved.
 */
export function compileSearch(criterion: Criterion, options: CompileOptions): CompiledSearch {
  const compiler = new Compiler(options)
  const keys = compiler.keys(criterion)
  return { keys, needsCharset: compiler.isBeyondAscii && !options.isUtf8 }
}

class Compiler {
  readonly #options: CompileOptions
  isBeyondAscii = false

  constructor(options: CompileOptions) {
    this.#options = options
  }

  keys(criterion: Criterion): readonly Argument[] {
    switch (criterion.kind) {
      case 'all':
        return [atom('ALL')]
      case 'none':
        // What no message satisfies, said in the grammar of every server.
        return [atom('NOT'), atom('ALL')]
      case 'and':
        return criterion.of.length === 0 ? [atom('ALL')] : criterion.of.flatMap((part) => this.keys(part))
      case 'or':
        return this.#either(criterion.of)
      case 'not':
        return [atom('NOT'), ...this.#single(criterion.of)]
      case 'text':
        return [atom(textKeys[criterion.field]), this.#string(criterion.value)]
      case 'owner':
        return this.#either(
          this.#options.ownAddresses.map((value) => ({ kind: 'text', field: criterion.field, value })),
        )
      case 'header':
        return [atom('HEADER'), atom(headerNames[criterion.name]), this.#string(criterion.value)]
      case 'flag':
        return [atom(flagKeys[criterion.flag][criterion.isSet ? 0 : 1])]
      case 'keyword':
        return [atom('KEYWORD'), atom(requireAtom(criterion.keyword))]
      case 'larger':
        return [atom('LARGER'), atom(String(criterion.bytes))]
      case 'smaller':
        return [atom('SMALLER'), atom(String(criterion.bytes))]
      case 'since':
        return [atom('SINCE'), dayAtom(criterion.at)]
      case 'before':
        return [atom('BEFORE'), dayAtom(criterion.at)]
      case 'folder':
      case 'attachment':
      case 'filename':
        throw new TypeError(`${criterion.kind} is not for the server to decide`)
      default:
        return assertNever(criterion)
    }
  }

  /** OR takes two keys; halving keeps the nesting of fifty terms below what servers allow. */
  #either(options: readonly Criterion[]): readonly Argument[] {
    const [only] = options
    if (only === undefined) return this.keys({ kind: 'none' })
    if (options.length === 1) return this.#single(only)
    const middle = Math.ceil(options.length / 2)
    const halves = [options.slice(0, middle), options.slice(middle)]
    return [atom('OR'), ...halves.flatMap((half) => this.#single({ kind: 'or', of: half }))]
  }

  /** The criterion as one search key: a list in brackets where it takes several. */
  #single(criterion: Criterion): readonly Argument[] {
    const isSeveral = criterion.kind === 'and' && criterion.of.length > 1
    return isSeveral ? [this.keys(criterion)] : this.keys(criterion)
  }

  #string(value: string): Argument {
    // Line breaks of a header are blanks once it is unfolded; RFC 3501 9: NUL is in no string at all.
    const line = value.replace(/[\r\n\t\0]+/g, ' ')
    if (/[^\x00-\x7f]/.test(line)) this.isBeyondAscii = true
    return text(line, this.#options.isUtf8)
  }
}

// An atom is sent as it stands: one that is none would be a piece of the command.
function requireAtom(value: string): string {
  if (!/^[^\s\x00-\x1f\x7f-\u{10ffff}(){%*"\\\]]+$/u.test(value))
    throw new TypeError('this keyword is no atom')
  return value
}
