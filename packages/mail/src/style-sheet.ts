import { parseDeclarations, stripComments, type Declaration } from './css.ts'

interface Rule {
  readonly tag: string
  readonly id: string
  readonly classes: readonly string[]
  readonly specificity: number
  readonly order: number
  readonly declarations: Declaration[]
}

/** The rules of a mail's own style sheets that can be decided without its tree, ready to be asked per element. */
export interface StyleSheet {
  /** Declarations that apply to an element, weakest first. `classes` lower-case, as `id` and `tag`. */
  match(tag: string, id: string, classes: readonly string[]): readonly Declaration[]
  /** True when rules with combinators set text colours: then black is not the colour of what has none. */
  readonly mayColour: boolean
  /** The same of backgrounds, and white. */
  readonly mayFill: boolean
}

const maxRules = 500
const maxRulesPerKey = 50
const maxSheetChars = 262_144

/**
 * Reads `.c`, `#id`, `tag`, `tag.c` and other compounds of these; selectors with combinators, attributes or
 * pseudo-classes are passed over, as are rules that hold only on some screens. At most 500 rules, linear.
 * Names compare without case, as they do in quirks mode, which is what most mail is shown in.
 */
export function readStyleSheet(text: string): StyleSheet {
  const byCompound = new Map<string, Rule>()
  let mayColour = false
  let mayFill = false
  let order = 0
  for (const { prelude, block } of readBlocks(stripComments(text.slice(0, maxSheetChars)))) {
    const declarations = parseDeclarations(block)
    if (declarations.length === 0) continue
    for (const selector of prelude.split(',')) {
      const rule = parseSelector(selector, order++)
      if (rule !== null) addRule(byCompound, rule, declarations)
      else if (!conditional.test(selector)) {
        mayColour ||= declarations.some(({ name }) => name === 'color')
        mayFill ||= declarations.some(({ name }) => name.startsWith('background'))
      }
    }
  }
  return { match: matcher(indexRules(byCompound)), mayColour, mayFill }
}

/** Rules of the same selector are one rule: so an element meets few, however many a mail repeats. */
function addRule(byCompound: Map<string, Rule>, rule: Rule, declarations: readonly Declaration[]): void {
  const key = `${rule.tag}#${rule.id}.${rule.classes.join('.')}`
  const same = byCompound.get(key)
  if (same === undefined && byCompound.size >= maxRules) return
  const all = new Map([...(same?.declarations ?? []), ...declarations].map((each) => [each.name, each]))
  for (const each of same?.declarations ?? []) {
    if (each.isImportant && all.get(each.name)?.isImportant === false) all.set(each.name, each)
  }
  byCompound.set(key, { ...rule, declarations: [...all.values()] })
}

// States and clients: what a mail looks like at first does not depend on these.
const conditional = /[[:]/

const compound = /^(?:html\s+)?(?:body\s+)?(\*|[a-z][a-z0-9]{0,20})?((?:[.#][\w-]{1,60}){0,6})$/

function parseSelector(selector: string, order: number): Rule | null {
  const text = selector.trim().toLowerCase()
  if (text === '' || text.length > 200) return null
  const match = compound.exec(text)
  if (match === null) return null
  const marks = match[2]?.match(/[.#][\w-]+/g) ?? []
  const ids = marks.filter((mark) => mark.startsWith('#')).map((mark) => mark.slice(1))
  const classes = marks.filter((mark) => mark.startsWith('.')).map((mark) => mark.slice(1))
  const tag = match[1] ?? '*'
  if (ids.length > 1) return null
  const specificity = ids.length * 100 + classes.length * 10 + (tag === '*' ? 0 : 1)
  return { tag, id: ids[0] ?? '', classes: classes.toSorted(), specificity, order, declarations: [] }
}

function indexRules(byCompound: ReadonlyMap<string, Rule>): ReadonlyMap<string, readonly Rule[]> {
  const index = new Map<string, Rule[]>()
  for (const rule of byCompound.values()) {
    const key = rule.id !== '' ? `#${rule.id}` : rule.classes.length > 0 ? `.${rule.classes[0]}` : rule.tag
    const rules = index.get(key)
    if (rules === undefined) index.set(key, [rule])
    else if (rules.length < maxRulesPerKey) rules.push(rule)
  }
  return index
}

function matcher(index: ReadonlyMap<string, readonly Rule[]>): StyleSheet['match'] {
  return (tag, id, classes) => {
    if (index.size === 0) return []
    const keys = ['*', tag, ...(id === '' ? [] : [`#${id}`]), ...classes.map((name) => `.${name}`)]
    const rules = keys.flatMap((key) => index.get(key) ?? [])
    const hits = rules.filter(
      (rule) =>
        (rule.tag === '*' || rule.tag === tag) &&
        (rule.id === '' || rule.id === id) &&
        rule.classes.every((name) => classes.includes(name)),
    )
    hits.sort((one, other) => one.specificity - other.specificity || one.order - other.order)
    return hits.flatMap((rule) => rule.declarations)
  }
}

interface Block {
  readonly prelude: string
  readonly block: string
}

/** The qualified rules of a sheet, those inside `@media all` and `@media screen` included. */
function* readBlocks(text: string): Generator<Block> {
  let from = 0
  while (from < text.length) {
    const mark = nextMark(text, from)
    if (mark === -1) return
    const prelude = text
      .slice(from, mark)
      .replace(/^(?:\s|<!--|-->|\}){0,50}/, '')
      .trim()
    if (text[mark] === ';' || text[mark] === '}') from = mark + 1
    else if (/^@media\b/i.test(prelude) && isUnconditional(prelude)) from = mark + 1
    else {
      const end = blockEnd(text, mark)
      if (!prelude.startsWith('@')) yield { prelude, block: text.slice(mark + 1, end) }
      from = end + 1
    }
  }
}

function nextMark(text: string, from: number): number {
  for (let index = from; index < text.length; index++) {
    const char = text[index]
    if (char === '{' || char === ';' || char === '}') return index
  }
  return -1
}

/** Index of the brace that closes the one at `open`, or the end of the text. */
function blockEnd(text: string, open: number): number {
  let depth = 0
  for (let index = open; index < text.length; index++) {
    if (text[index] === '{') depth++
    else if (text[index] === '}' && --depth === 0) return index
  }
  return text.length
}

/** True for `@media all`, `@media screen` and lists with one of them: rules that hold for whoever reads mail on a screen. */
function isUnconditional(prelude: string): boolean {
  return prelude
    .slice('@media'.length)
    .split(',')
    .some((query) => /^(?:only\s+)?(?:all|screen)?$/i.test(query.trim()))
}
