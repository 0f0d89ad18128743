/** Text as HTML that reads the same: everything escaped, line ends and runs of blanks kept. */
export function textToHtml(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => escapeHtml(line).replace(/ (?= )|^ /g, '&nbsp;'))
  return `<div>${lines.join('<br>\n')}</div>`
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Adds a piece at the end of a document: inside its body, where one is closed. The document itself stays as it is. */
export function appendHtml(html: string, piece: string): string {
  const at = endOfBody(html)
  return `${html.slice(0, at)}${piece}${html.slice(at)}`
}

/** Offset of the last `</body`, else of the last `</html`, else the end. */
export function endOfBody(html: string): number {
  const lower = html.toLowerCase()
  const end = [lower.lastIndexOf('</body'), lower.lastIndexOf('</html')].find((at) => at !== -1)
  // Lower-casing changes the length of a few letters only outside of ASCII; then the end is safe.
  return end === undefined || lower.length !== html.length ? html.length : end
}
