import { chooseBody, cleanLine, walkParts, type Part } from '@postern/mail'
import { contentIdOf, type OutgoingFile } from './outgoing-file.ts'

/** A file of a message that goes on in another one: its octets as they are, its name in one clean line without a path. */
export function carryFile(part: Part, octets: Uint8Array, isInline: boolean): OutgoingFile {
  const name = part.filename === null ? '' : cleanLine(part.filename, 255)
  const filename = name.split(/[/\\]/).at(-1)?.trim() ?? ''
  const params = [...part.params].filter(([, value]) => /^[\w.+-]{1,60}$/.test(value))
  return {
    filename: filename === '' ? null : filename,
    mimeType: [part.type, ...params.map(([key, value]) => `${key}=${value}`)].join('; '),
    contentId: contentIdOf(part.contentId),
    isInline,
    octets,
  }
}

/** Every file of a message whose parts hold their content, as `parseMime` gives it. */
export function carryFiles(tree: Part): readonly OutgoingFile[] {
  const parts = new Map(Array.from(walkParts(tree), (part) => [part.id, part]))
  return chooseBody(tree).attachments.flatMap(({ partId, isInline }) => {
    const part = parts.get(partId)
    return part?.content ? [carryFile(part, part.content, isInline)] : []
  })
}
