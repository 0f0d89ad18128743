/** Kinds of file that text can be read from. */
export type DocumentKind = 'text' | 'html' | 'pdf' | 'docx' | 'xlsx' | 'pptx'

/** Files that are taken apart in a thread of their own. */
export type PackedKind = Exclude<DocumentKind, 'text' | 'html'>

/**
 * What a file is to be read as, by its declared type, and by the end of its name where the type says nothing; null for
 * what no text can be read from. A type that is wrong leads to a reader that finds nothing, never to another reader.
 */
export function documentKind(mimeType: string, filename: string | null): DocumentKind | null {
  const type = mimeType.toLowerCase()
  const byType = types.get(type)
  if (byType !== undefined) return byType
  if (vague.has(type))
    return ends.get(/\.([a-z0-9]{1,8})\s*$/i.exec(filename ?? '')?.[1]?.toLowerCase() ?? '') ?? null
  if (type === 'text/rtf' || type === 'text/richtext') return null
  return /^text\/|^application\/[^/]+\+(?:json|xml)$/.test(type) ? 'text' : null
}

const ooxml = 'application/vnd.openxmlformats-officedocument.'

const types: ReadonlyMap<string, DocumentKind> = new Map([
  ...of('html', ['text/html', 'application/xhtml+xml']),
  ...of('pdf', ['application/pdf', 'application/x-pdf']),
  ...of('docx', [
    `${ooxml}wordprocessingml.document`,
    `${ooxml}wordprocessingml.template`,
    'application/vnd.ms-word.document.macroenabled.12',
  ]),
  ...of('xlsx', [
    `${ooxml}spreadsheetml.sheet`,
    `${ooxml}spreadsheetml.template`,
    'application/vnd.ms-excel.sheet.macroenabled.12',
  ]),
  ...of('pptx', [
    `${ooxml}presentationml.presentation`,
    `${ooxml}presentationml.slideshow`,
    'application/vnd.ms-powerpoint.presentation.macroenabled.12',
  ]),
  ...of(
    'text',
    [
      'json',
      'x-json',
      'x-ndjson',
      'jsonl',
      'xml',
      'csv',
      'yaml',
      'x-yaml',
      'toml',
      'sql',
      'javascript',
      'ics',
    ].map((subtype) => `application/${subtype}`),
  ),
])

/** Types that senders give to any file at all. */
const vague: ReadonlySet<string> = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
  'application/download',
  'application/force-download',
  'application/x-download',
  'application/unknown',
  'application/zip',
  'application/x-zip-compressed',
])

const ends: ReadonlyMap<string, DocumentKind> = new Map([
  ...of('text', [
    'txt',
    'text',
    'md',
    'log',
    'csv',
    'tsv',
    'json',
    'jsonl',
    'ndjson',
    'xml',
    'yaml',
    'yml',
    'ics',
    'vcf',
  ]),
  ...of('html', ['html', 'htm', 'xhtml']),
  ...of('pdf', ['pdf']),
  ...of('docx', ['docx', 'docm', 'dotx']),
  ...of('xlsx', ['xlsx', 'xlsm', 'xltx']),
  ...of('pptx', ['pptx', 'pptm', 'ppsx']),
])

function of(kind: DocumentKind, names: readonly string[]): [string, DocumentKind][] {
  return names.map((name) => [name, kind])
}
