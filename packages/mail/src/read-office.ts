import type { OfficeFindings } from './office-findings.ts'
import type { PackedKind } from './document-kind.ts'
import type { Extraction } from './extraction.ts'
import { readPackage, type PackageFiles } from './read-package.ts'
import { readSheets } from './read-sheets.ts'
import { readXml, type XmlHandler } from './read-xml.ts'
import { TextSink } from './text-sink.ts'

type OfficeKind = Exclude<PackedKind, 'pdf'>

const wanted: Readonly<Record<OfficeKind, RegExp>> = {
  docx: /^word\/(?:document\d*|footnotes|endnotes)\.xml$/,
  xlsx: /^xl\/(?:worksheets\/[^/]+\.xml|sharedStrings\.xml|workbook\.xml|_rels\/workbook\.xml\.rels)$/,
  pptx: /^ppt\/slides\/slide\d+\.xml$/,
}

/**
 * The text of a document, workbook or presentation in Office Open XML (ECMA-376). Macros, pictures and embedded files
 * stay packed; nothing outside the package is followed.
 */
export async function readOffice(
  kind: OfficeKind,
  octets: Uint8Array,
  maxChars: number,
): Promise<Extraction> {
  const files = await readPackage(octets, (name) => wanted[kind].test(name))
  if (typeof files === 'string') return { text: '', isCut: false, hiddenTextRemoved: 0, problem: files }
  const sink = new TextSink(maxChars)
  const { isSound, hiddenTextRemoved } =
    kind === 'xlsx' ? readSheets(files, sink) : readParagraphs(kind, files, sink)
  const isRead = isSound && files.size > 0
  return { text: sink.toText(), isCut: sink.isFull, hiddenTextRemoved, problem: isRead ? null : 'damaged' }
}

/** Paragraphs of WordprocessingML and of DrawingML, which slides are written in: runs, in paragraphs, in cells. */
function readParagraphs(kind: 'docx' | 'pptx', files: PackageFiles, sink: TextSink): OfficeFindings {
  const walk = new ParagraphWalk(sink)
  let isSound = true
  for (const [name, octets] of inOrder(files)) {
    if (sink.isFull) break
    if (kind === 'pptx') sink.add(`\n[Slide ${/\d+/.exec(name)?.[0] ?? ''}]\n`)
    isSound = readXml(octets, walk) && isSound
    walk.reset()
    sink.add('\n')
  }
  return { isSound, hiddenTextRemoved: walk.hidden }
}

/** By the number in the name; the document itself before its notes. */
export function inOrder(files: PackageFiles): readonly (readonly [string, Uint8Array])[] {
  const numberOf = (name: string): number => Number(/(\d+)\.xml$/.exec(name)?.[1] ?? 0)
  return [...files].toSorted(([a], [b]) => numberOf(a) - numberOf(b) || (a < b ? -1 : 1))
}

class ParagraphWalk implements XmlHandler {
  readonly #sink: TextSink
  hidden = 0
  #runs = 0
  #cells = 0
  #fallbacks = 0
  #isText = false
  #isHidden = false

  constructor(sink: TextSink) {
    this.#sink = sink
  }

  /** Between two files: one that ended amid an element leaves nothing behind. */
  reset(): void {
    this.#runs = this.#cells = this.#fallbacks = 0
    this.#isText = this.#isHidden = false
  }

  isDone(): boolean {
    return this.#sink.isFull
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'Fallback') this.#fallbacks += 1
    else if (name === 'tc') this.#cells += 1
    else if (name === 'r' || name === 'fld') {
      this.#runs += 1
      this.#isHidden = false
    } else if (name === 't') this.#isText = true
    else if (this.#runs > 0) this.#openInRun(name, attributes)
    else if (name === 'br') this.#add('\n')
  }

  #openInRun(name: string, attributes: Readonly<Record<string, string>>): void {
    // ECMA-376 part 1, 17.3.2.41: the property is on unless its value turns it off.
    if (name === 'vanish' && !/^(?:0|false|off)$/.test(attributes['w:val'] ?? '')) {
      this.#isHidden = true
      this.hidden += 1
    } else if (name === 'tab') this.#add('\t')
    else if (name === 'br' || name === 'cr') this.#add('\n')
    else if (name === 'noBreakHyphen') this.#add('-')
  }

  close(name: string): void {
    if (name === 'Fallback') this.#fallbacks -= 1
    else if (name === 't') this.#isText = false
    else if (name === 'r' || name === 'fld') this.#runs -= 1
    else if (name === 'p') this.#add(this.#cells > 0 ? ' ' : '\n', true)
    else if (name === 'tr') this.#add('\n', true)
    else if (name === 'tc') {
      this.#cells -= 1
      this.#add('\t', true)
    }
  }

  text(text: string): void {
    if (this.#isText) this.#add(text)
  }

  /** What stands in a fallback is there once more, for older readers. */
  #add(piece: string, isLayout = false): void {
    if (this.#fallbacks === 0 && (isLayout || !this.#isHidden)) this.#sink.add(piece)
  }
}
