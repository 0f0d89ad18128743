/**
 * A list of mailboxes that was written as one text, taken apart at its commas; what stands between them stays as it
 * is, for `parseRecipients` to judge. A comma in quotes or brackets parts nothing, nor does one in a name that is not
 * quoted: `Doe, Jane <j@x.example>` is one entry. Linear.
 */
export function splitRecipients(list: string): readonly string[] {
  const entries: string[] = []
  let start = 0
  let hasAddress = false
  const ends = { quote: makeFinder(list, '"'), bracket: makeFinder(list, '>') }
  for (let at = 0; at < list.length; at += 1) {
    const char = list[at]
    if (char === '@') hasAddress = true
    // One that is never closed is a character like any other.
    if (char === '"') at = ends.quote(at + 1) ?? at
    if (char === '<') {
      const end = ends.bracket(at + 1)
      hasAddress ||= end !== null
      at = end ?? at
    }
    // Without an address it is the first half of a name.
    if (char !== ',' || !hasAddress) continue
    entries.push(list.slice(start, at))
    start = at + 1
    hasAddress = false
  }
  return [...entries, list.slice(start)]
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && entry !== ',')
}

/** Where the next unescaped `mark` stands, or null; what was once not found is not looked for again. */
function makeFinder(list: string, mark: string): (from: number) => number | null {
  let isGone = false
  return (from) => {
    if (isGone) return null
    for (let at = from; at < list.length; at += 1) {
      if (list[at] === '\\' && mark === '"') at += 1
      else if (list[at] === mark) return at
    }
    isGone = true
    return null
  }
}
