import { SaxesParser } from 'saxes'

/** What is told of a document, in order. Names are without their prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  close?(name: string): void
  text?(text: string): void
  /** True when nothing more is wanted. */
  isDone?(): boolean
}

const maxDepth = 256
const sliceChars = 64 * 1024

/**
 * Walks an XML document; what was told before it stopped making sense stands. A document type is refused: it is where
 * entities are declared, inside the document or outside, and no package of Office has one (ECMA-376 part 2, 8.1.4).
 * @returns false for a document that is not well-formed, too deep, or has a document type.
 */
export function readXml(octets: Uint8Array, handler: XmlHandler): boolean {
  const parser = new SaxesParser()
  let depth = 0
  let isSound = true
  parser.on('error', () => {
    isSound = false
  })
  parser.on('doctype', () => {
    isSound = false
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    if (depth > maxDepth) isSound = false
    if (isSound) handler.open?.(localName(name), attributes)
  })
  parser.on('closetag', ({ name }) => {
    depth -= 1
    if (isSound) handler.close?.(localName(name))
  })
  const tell = (text: string): void => {
    if (isSound) handler.text?.(text)
  }
  parser.on('text', tell)
  parser.on('cdata', tell)
  const text = decodeXml(octets)
  for (let at = 0; at < text.length && isSound; at += sliceChars) {
    if (handler.isDone?.() === true) return true
    parser.write(text.slice(at, at + sliceChars))
  }
  if (isSound) parser.close()
  return isSound
}

/** XML 1.0, appendix F: UTF-16 has a byte order mark, and all else that Office writes is UTF-8. */
function decodeXml(octets: Uint8Array): string {
  const [first, second] = octets
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(octets)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(octets)
  return new TextDecoder().decode(octets)
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
