const lf = 0x0a
const cr = 0x0d
const colon = 0x3a

/** Behind the line break of the line at `from`. */
export function endOfLine(view: Buffer, from: number): number {
  const end = view.indexOf(lf, from)
  return end === -1 ? view.length : end + 1
}

/** The line that ends a header block. */
export function isBlankLine(view: Buffer, at: number): boolean {
  return view[at] === lf || (view[at] === cr && (view[at + 1] === lf || at + 1 === view.length))
}

/** Behind the last continuation line: those start with white space. */
export function endOfField(view: Buffer, lineEnd: number): number {
  let end = lineEnd
  while (isWhite(view[end])) end = endOfLine(view, end)
  return end
}

/** What a continuation line begins with. */
export function isWhite(octet: number | undefined): boolean {
  return octet === 0x20 || octet === 0x09
}

/** The colon behind a field name, or -1 where the line at `at` is no field. Names are printable ASCII. */
export function findColon(view: Buffer, at: number): number {
  let index = at
  while (isNameOctet(view[index])) index += 1
  if (index === at) return -1
  while (isWhite(view[index])) index += 1
  return view[index] === colon ? index : -1
}

function isNameOctet(octet: number | undefined): boolean {
  return octet !== undefined && octet > 0x20 && octet < 0x7f && octet !== colon
}
