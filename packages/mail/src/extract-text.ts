import type { DocumentPool } from './document-pool.ts'
import { documentKind, type DocumentKind } from './document-kind.ts'
import type { Extraction, ExtractionTask } from './extraction.ts'
import type { LinksMode } from './links.ts'
import type { HtmlParser } from './parse-pool.ts'
import type { Part } from './part.ts'
import { renderBody } from './render-body.ts'
import { rawText, type CleanText } from './text.ts'
import type { ThreadOutcome } from './thread-pool.ts'
import { cutGraphemes } from './cut-graphemes.ts'
import { cleanBlock, sliceClean } from './untrusted.ts'

/** Longest text taken out of one file, in UTF-16 units. */
export const maxExtractedChars = 120_000

/** Octets of a text file or of HTML that are looked at: more than the longest text there is room for. */
const maxTextBytes = 2 * 1024 * 1024

/** What stands between a file and its text. The text that could be read is there. */
export type ExtractionWarning =
  | 'text_cut'
  | 'document_encrypted'
  | 'document_damaged'
  | 'document_too_large'
  | 'charset_unknown'
  | 'transfer_encoding_damaged'
  | 'html_not_rendered'

export interface ExtractedText {
  readonly text: CleanText
  readonly hiddenTextRemoved: number
  readonly charsetGuessed: boolean
  readonly warnings: readonly ExtractionWarning[]
}

export interface ExtractTextOptions {
  /** On whose behalf. */
  readonly owner: string
  /** Null takes documents apart in place: for tests. */
  readonly documents: DocumentPool | null
  /** Where long HTML is parsed; null parses in place. */
  readonly html: HtmlParser | null
}

/**
 * The text of a file as clean text, at most `maxExtractedChars` of it: what is in sight, without layout. Empty where
 * there is no text layer.
 * @param part what the message says about the file: its type, its charset, its name.
 * @returns null for a kind of file that has no reader; a failure when there was no time, no room or no thread for it.
 */
export async function extractText(
  part: Part,
  content: Uint8Array,
  options: ExtractTextOptions,
): Promise<ExtractedText | { readonly failure: 'busy' | 'timeout' | 'crash' } | null> {
  const kind = documentKind(part.type, part.filename)
  if (kind === null) return null
  if (kind === 'text' || kind === 'html') return readText(kind, part, content, options)
  const task: ExtractionTask = { kind, octets: content, maxChars: maxExtractedChars }
  const outcome = await runTask(task, options)
  if (outcome.failure !== null) return { failure: outcome.failure }
  const { text, isCut, hiddenTextRemoved, problem } = outcome.answer
  return {
    text: cut(cleanBlock(rawText(text.toWellFormed()))),
    hiddenTextRemoved,
    charsetGuessed: false,
    warnings: [
      ...(isCut ? (['text_cut'] as const) : []),
      ...(problem === null ? [] : ([`document_${problem}`] as const)),
    ],
  }
}

async function runTask(
  task: ExtractionTask,
  { documents, owner }: ExtractTextOptions,
): Promise<ThreadOutcome<Extraction>> {
  if (documents !== null) return documents.extract(owner, task)
  // Loaded where it is needed: the readers are megabytes, and a process with a pool has no use for them.
  const { runExtraction } = await import('./run-extraction.ts')
  return { failure: null, answer: await runExtraction(task) }
}

/** As a body is read. Addresses in data stay whole: nobody is to click on them. */
async function readText(
  kind: Extract<DocumentKind, 'text' | 'html'>,
  part: Part,
  content: Uint8Array,
  { html }: ExtractTextOptions,
): Promise<ExtractedText> {
  const links: LinksMode = kind === 'html' ? 'hosts' : 'full'
  const body = {
    part,
    kind: kind === 'html' ? ('html' as const) : ('plain' as const),
    content: content.subarray(0, maxTextBytes),
    isCut: content.length > maxTextBytes,
    isDamaged: false,
  }
  const rendered = await renderBody({ parts: [body], htmlParts: [] }, { links, pool: html })
  const isCut = rendered.text.length > maxExtractedChars || rendered.warnings.includes('body_cut')
  return {
    text: cut(rendered.text),
    hiddenTextRemoved: rendered.hiddenTextRemoved,
    charsetGuessed: rendered.charsetGuessed,
    warnings: [
      ...rendered.warnings.filter(
        (warning) => warning === 'charset_unknown' || warning === 'html_not_rendered',
      ),
      ...(isCut ? (['text_cut'] as const) : []),
    ],
  }
}

function cut(text: CleanText): CleanText {
  if (text.length <= maxExtractedChars) return text
  return sliceClean(text, 0, cutGraphemes(text, maxExtractedChars).length)
}
