import { Fault } from '@postern/core'
import type { TimeContext } from './parse-time.ts'
import { querySyntax, queryUnsupported } from './query-faults.ts'
import { readTerm, type QueryFindings, type QueryNode, type TermContext } from './query-term.ts'
import { tokeniseQuery, type QueryToken } from './tokenise-query.ts'

export const queryLimits = { characters: 1000, terms: 50, nesting: 10 } as const

export interface ParsedQuery {
  /** Folders still by name; see `resolvePlaces`. */
  readonly criterion: QueryNode
  /** True when `in:anywhere` occurs: Spam and Trash belong to the default scope. */
  readonly isAnywhere: boolean
  /** What was read in a way the caller may not expect, in our words. */
  readonly notes: readonly string[]
}

/**
 * Reads a search query: terms stand side by side (AND), `OR` binds tighter than that, `-x` and `NOT x` exclude,
 * `( )` groups, `{ }` is OR, `"..."` is a phrase, `field:(...)` applies to everything inside.
 * @throws query_syntax and query_unsupported with a position (characters from 0); query_too_broad above 50 terms.
 */
export function parseQuery(query: string, context: TimeContext): ParsedQuery {
  const length = Array.from(query).length
  if (length > queryLimits.characters) {
    throw new Fault('query_syntax', {
      public: `query: ${length} characters are more than the ${queryLimits.characters} a query may have.`,
      details: { argument: 'query', length, limit: queryLimits.characters },
    })
  }
  const { tokens, hasApostropheQuotes } = tokeniseQuery(query)
  const findings: QueryFindings = { notes: new Set(), isAnywhere: false }
  if (hasApostropheQuotes) {
    findings.notes.add(
      'query: a value in apostrophes was read as a phrase; phrases are written in double quotes.',
    )
  }
  const parser = new Parser(query, tokens, { ...context, findings })
  const criterion = parser.parse()
  return { criterion, isAnywhere: findings.isAnywhere, notes: [...findings.notes] }
}

const closing = { '(': ')', '{': '}' } as const

/** Recursive descent; the depth of the recursion is the nesting of brackets, which is limited. */
class Parser {
  readonly #text: string
  readonly #tokens: readonly QueryToken[]
  readonly #context: TermContext
  #index = 0
  #terms = 0
  #nesting = 0

  constructor(text: string, tokens: readonly QueryToken[], context: TermContext) {
    this.#text = text
    this.#tokens = tokens
    this.#context = context
  }

  parse(): QueryNode {
    const all = this.#sequence(null, null)
    const rest = this.#peek()
    if (rest !== undefined) throw this.#syntax(`an unexpected ${rest.text} stands`)
    return join('and', all)
  }

  /** Operands until the closing bracket or the end; `AND` may stand between them outside braces. */
  #sequence(field: QueryToken | null, end: ')' | '}' | null): QueryNode[] {
    const operands = [this.#either(field)]
    for (let token = this.#peek(); token !== undefined && token.kind !== 'close'; token = this.#peek()) {
      if (token.kind === 'and') {
        if (end === '}') throw this.#syntax('AND cannot stand in braces, which mean OR,')
        this.#index += 1
      }
      operands.push(this.#either(field))
    }
    return operands
  }

  /** `a OR b OR c`, tighter than adjacency. */
  #either(field: QueryToken | null): QueryNode {
    const options = [this.#negation(field)]
    while (this.#peek()?.kind === 'or') {
      this.#index += 1
      options.push(this.#negation(field))
    }
    return join('or', options)
  }

  #negation(field: QueryToken | null): QueryNode {
    let isNegated = false
    for (; this.#peek()?.kind === 'not'; this.#index += 1) isNegated = !isNegated
    const operand = this.#operand(field)
    return isNegated ? { kind: 'not', of: operand } : operand
  }

  #operand(field: QueryToken | null): QueryNode {
    const token = this.#peek()
    if (token?.kind === 'open') return this.#group(field, token.text === '{' ? '{' : '(')
    if (token?.kind === 'word' || token?.kind === 'phrase') {
      this.#index += 1
      return this.#term(field, token)
    }
    if (token?.kind !== 'field') throw this.#syntax('a search term is missing')
    if (field !== null) throw this.#fieldInField(field, token)
    this.#index += 1
    return this.#operand(token)
  }

  #group(field: QueryToken | null, bracket: '(' | '{'): QueryNode {
    this.#nesting += 1
    if (this.#nesting > queryLimits.nesting) {
      throw this.#syntax(`brackets are nested deeper than ${queryLimits.nesting}`)
    }
    const open = this.#index
    this.#index += 1
    const operands = this.#sequence(field, closing[bracket])
    const end = this.#peek()
    if (end === undefined) throw this.#syntax(`a ${bracket} is opened but not closed`, open)
    if (end.text !== closing[bracket]) throw this.#syntax(`a ${bracket} is closed by ${end.text}`)
    this.#index += 1
    this.#nesting -= 1
    return join(bracket === '{' ? 'or' : 'and', operands)
  }

  #term(field: QueryToken | null, value: QueryToken): QueryNode {
    this.#terms += 1
    if (this.#terms > queryLimits.terms) {
      const count = this.#tokens.filter(({ kind }) => kind === 'word' || kind === 'phrase').length
      throw new Fault('query_too_broad', {
        public: `query: ${count} search terms are more than the ${queryLimits.terms} a query may have.`,
        details: { argument: 'query', count, limit: queryLimits.terms },
      })
    }
    const isPhrase = value.kind === 'phrase'
    if (field === null && !isPhrase) this.#checkBareWord(value)
    const place = { text: this.#text, at: field?.at ?? value.at }
    return readTerm(field?.text ?? null, { text: value.text, isPhrase }, place, this.#context)
  }

  /** Words that mean something elsewhere, or nearly do here. */
  #checkBareWord({ text, at }: QueryToken): void {
    if (text === 'or') {
      this.#context.findings.notes.add('query: "or" was searched as a word; the operator is OR in capitals.')
    }
    const next = this.#peek()
    if (text === 'AROUND' && next?.kind === 'word' && /^\d+$/.test(next.text)) {
      throw queryUnsupported(
        { text: this.#text, at },
        {
          operator: 'AROUND',
          written: `AROUND ${next.text}`,
          nearest: 'a AND b',
          why: 'words cannot be searched by their distance.',
        },
      )
    }
  }

  #fieldInField(outer: QueryToken, inner: QueryToken): Fault {
    return queryUnsupported(
      { text: this.#text, at: inner.at },
      {
        operator: inner.text,
        written: `${outer.text}:(${inner.text}:...)`,
        nearest: `${outer.text}:(...) ${inner.text}:(...)`,
        why: 'an operator cannot stand inside the brackets of another one.',
      },
    )
  }

  #peek(): QueryToken | undefined {
    return this.#tokens[this.#index]
  }

  #syntax(problem: string, index = this.#index): Fault {
    return querySyntax({ text: this.#text, at: this.#tokens[index]?.at ?? this.#text.length }, problem)
  }
}

function join(kind: 'and' | 'or', operands: readonly QueryNode[]): QueryNode {
  const [only, ...rest] = operands
  return only !== undefined && rest.length === 0 ? only : { kind, of: operands }
}
