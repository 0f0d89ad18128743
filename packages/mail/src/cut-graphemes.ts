const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

// Longest stretch looked at before a cut. A cluster longer than that is not writing but a flood of marks.
const lookBehind = 256
const lineFeed = 0x0a

/**
 * The last index not above `limit` (UTF-16 code units) at which `text` may be cut without parting a surrogate pair
 * or a grapheme. Constant time: only the neighbourhood of the cut is segmented. Inside a cluster of more than 256
 * units it falls back to a boundary between code points.
 */
export function findCut(text: string, limit: number): number {
  if (limit <= 0) return 0
  if (limit >= text.length) return text.length
  // UAX 29: between two ASCII characters there is always a boundary, but for CR LF. Most cuts end here.
  if (isAscii(text, limit - 1) && isAscii(text, limit) && text.charCodeAt(limit) !== lineFeed) return limit
  const start = segmentStart(text, limit)
  // One code point behind the limit is enough: whether a boundary is there depends on nothing further.
  const stretch = text.slice(start, limit + 2)
  let cut = start
  for (const { index } of graphemes.segment(stretch)) {
    if (start + index <= limit) cut = start + index
  }
  return cut > start || start === 0 || isAscii(text, start) ? cut : codePointCut(text, limit)
}

/** `text` itself when it fits into `max` units, else its longest head that does and ends between graphemes. */
export function cutGraphemes(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, findCut(text, max))
}

/** The last index not above `limit` that parts no surrogate pair. */
export function codePointCut(text: string, limit: number): number {
  return isLowSurrogate(text, limit) && isHighSurrogate(text, limit - 1) ? limit - 1 : limit
}

/** An ASCII character begins a grapheme, so segmentation may begin there; without one near, it begins anywhere. */
function segmentStart(text: string, limit: number): number {
  const earliest = Math.max(0, limit - lookBehind)
  for (let index = limit - 1; index > earliest; index--) {
    if (isAscii(text, index)) return index
  }
  return codePointCut(text, earliest)
}

function isAscii(text: string, index: number): boolean {
  return text.charCodeAt(index) < 0x80
}

function isHighSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800
}

function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00
}
