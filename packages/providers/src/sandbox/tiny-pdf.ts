/**
 * A one-page PDF with the lines set in Helvetica: valid, with a text layer, and about a kilobyte.
 * Characters beyond Latin-1 become a question mark. Source: ISO 32000-1 7.5 (file structure), 9.4 (text).
 */
export function tinyPdf(lines: readonly string[]): Uint8Array {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&').replace(/[^ -\u00ff]/g, '?')}) Tj T*`)
  const content = ['BT', '/F1 11 Tf', '16 TL', '60 780 Td', ...shown, 'ET'].join('\n')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R ' +
      '/Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  let file = '%PDF-1.4\n'
  const entries = ['0000000000 65535 f \n']
  for (const [index, object] of objects.entries()) {
    entries.push(`${String(file.length).padStart(10, '0')} 00000 n \n`)
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const trailer = `trailer\n<< /Size ${entries.length} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(`${file}xref\n0 ${entries.length}\n${entries.join('')}${trailer}`, 'latin1')
}
