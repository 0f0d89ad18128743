/** Removes line breaks before white space, and those at the end (RFC 5322 2.2.3). */
export function unfold(value: string): string {
  return value.includes('\n') ? value.replace(/\r?\n(?=[ \t])|\r?\n$/g, '') : value
}
