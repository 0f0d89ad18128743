import { getDocumentProxy } from 'unpdf'
import type { Extraction } from './extraction.ts'
import { readForeign } from './read-foreign.ts'
import { TextSink } from './text-sink.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

const maxPages = 5_000

/**
 * The text layer of a PDF, page by page. Scripts, forms and attached files are not looked at, fonts and pictures not
 * decoded, and nothing is fetched. What a hostile file may cost is for the thread around it to bound.
 */
export async function readPdf(octets: Uint8Array, maxChars: number): Promise<Extraction> {
  const sink = new TextSink(maxChars)
  const problem = await readForeign<Extraction['problem']>(
    async () =>
      (await readPages(await getDocumentProxy(new Uint8Array(octets), options), sink)) ? null : 'damaged',
    // The library's errors are known by name alone. One in a page ends the text there; what came before stands.
    (error) => (error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'damaged'),
  )
  return { text: sink.toText(), isCut: sink.isFull, hiddenTextRemoved: 0, problem }
}

const options = {
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  enableXfa: false,
  disableAutoFetch: true,
  maxImageSize: 0,
  verbosity: 0,
} as const

/** @returns false when there are more pages than are read. */
async function readPages(pdf: Pdf, sink: TextSink): Promise<boolean> {
  const last = Math.min(pdf.numPages, maxPages)
  for (let number = 1; number <= last && !sink.isFull; number += 1) {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    for (const item of items) if ('str' in item) sink.add(item.hasEOL ? `${item.str}\n` : item.str)
    page.cleanup()
    sink.add('\n\n')
  }
  return pdf.numPages <= maxPages
}
