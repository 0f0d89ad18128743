import type { Extraction, ExtractionTask } from './extraction.ts'
import { readOffice } from './read-office.ts'
import { readPdf } from './read-pdf.ts'

/** Takes a document apart. Runs in a worker or, in tests, in place. */
export async function runExtraction({ kind, octets, maxChars }: ExtractionTask): Promise<Extraction> {
  return kind === 'pdf' ? readPdf(octets, maxChars) : readOffice(kind, octets, maxChars)
}
