import type { OfficeFindings } from './office-findings.ts'
import type { PackageFiles } from './read-package.ts'
import { readXml, type XmlHandler } from './read-xml.ts'
import type { TextSink } from './text-sink.ts'

/** Empty cells that are shown as such before a filled one; a wider gap is as wide. */
const maxGap = 20
/** Strings that cells share; a sheet of the largest kind has about a million cells in use. */
const maxStrings = 1_000_000

interface Sheet {
  readonly name: string
  readonly octets: Uint8Array
  readonly isHidden: boolean
}

/**
 * A workbook of SpreadsheetML, sheet by sheet, a row a line, cells parted by tabs. Values are as they are stored:
 * a formula is its last result, a date its number of days. Sheets that are hidden are left out and counted.
 */
export function readSheets(files: PackageFiles, sink: TextSink): OfficeFindings {
  const strings: string[] = []
  const shared = files.get('xl/sharedStrings.xml')
  let isSound = shared === undefined || readXml(shared, sharedStrings(strings))
  const sheets = listSheets(files)
  for (const { name, octets } of sheets.filter(({ isHidden }) => !isHidden)) {
    if (sink.isFull) break
    sink.add(`\n[Sheet ${name}]\n`)
    isSound = readXml(octets, new SheetWalk(sink, strings)) && isSound
  }
  return {
    isSound: isSound && sheets.length > 0,
    hiddenTextRemoved: sheets.filter(({ isHidden }) => isHidden).length,
  }
}

/** The sheets that the workbook names, in its order. */
function listSheets(files: PackageFiles): readonly Sheet[] {
  const targets = new Map<string, string>()
  const named: { id: string; name: string; isHidden: boolean }[] = []
  readXml(files.get('xl/_rels/workbook.xml.rels') ?? new Uint8Array(), {
    open: (name, { Id: id, Target: target }) => {
      if (name === 'Relationship' && id !== undefined && target !== undefined) targets.set(id, target)
    },
  })
  readXml(files.get('xl/workbook.xml') ?? new Uint8Array(), {
    open: (name, attributes) => {
      if (name !== 'sheet') return
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? ''
      const isHidden = (attributes['state'] ?? 'visible') !== 'visible'
      named.push({ id, name: attributes['name'] ?? '', isHidden })
    },
  })
  return named.flatMap(({ id, name, isHidden }) => {
    const target = targets.get(id) ?? ''
    const octets = files.get(target.startsWith('/') ? target.slice(1) : `xl/${target}`)
    return octets === undefined ? [] : [{ name, isHidden, octets }]
  })
}

/** ECMA-376 part 1, 18.4.8: a string is its runs together; how it is pronounced is not part of it. */
function sharedStrings(strings: string[]): XmlHandler {
  let current = ''
  let isText = false
  let isPhonetic = false
  return {
    open: (name) => {
      if (name === 'si') current = ''
      else if (name === 'rPh') isPhonetic = true
      else if (name === 't') isText = true
    },
    close: (name) => {
      if (name === 'si') strings.push(current)
      else if (name === 'rPh') isPhonetic = false
      else if (name === 't') isText = false
    },
    text: (text) => {
      if (isText && !isPhonetic) current += text
    },
    isDone: () => strings.length > maxStrings,
  }
}

class SheetWalk implements XmlHandler {
  readonly #sink: TextSink
  readonly #strings: readonly string[]
  #type = 'n'
  #value = ''
  #isValue = false
  /** Columns of the row that have been told. */
  #column = 0

  constructor(sink: TextSink, strings: readonly string[]) {
    this.#sink = sink
    this.#strings = strings
  }

  isDone(): boolean {
    return this.#sink.isFull
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') this.#column = 0
    else if (name === 'c') this.#openCell(attributes)
    else if (name === 'v' || name === 't') this.#isValue = true
  }

  #openCell({ r: place, t: type }: Readonly<Record<string, string>>): void {
    this.#type = type ?? 'n'
    this.#value = ''
    const column = columnOf(place ?? '') ?? this.#column + 1
    const gap = Math.min(Math.max(0, column - this.#column - (this.#column === 0 ? 1 : 0)), maxGap)
    this.#sink.add('\t'.repeat(gap))
    this.#column = Math.max(column, this.#column)
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isValue = false
    else if (name === 'c') this.#sink.add(this.#shown().replace(/[\t\r\n]+/g, ' '))
    else if (name === 'row' && this.#column > 0) this.#sink.add('\n')
  }

  text(text: string): void {
    if (this.#isValue) this.#value += text
  }

  #shown(): string {
    if (this.#type === 's') return this.#strings[Number(this.#value)] ?? ''
    if (this.#type === 'b') return this.#value === '1' ? 'TRUE' : 'FALSE'
    return this.#value
  }
}

/** `AB12` is column 28; null for what is no place. ECMA-376 part 1, 18.18.7. */
function columnOf(place: string): number | null {
  const letters = /^([A-Z]{1,3})\d/.exec(place)?.[1]
  if (letters === undefined) return null
  return Array.from(letters, (letter) => letter.charCodeAt(0) - 64).reduce(
    (sum, digit) => sum * 26 + digit,
    0,
  )
}
