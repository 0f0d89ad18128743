import type { OwnText } from './letter.ts'
import { lettersOf } from './letters.ts'
import { appendHtml, textToHtml } from './text-to-html.ts'

/** What stands below every message of an identity; the text form always, HTML where the owner made one. */
export interface Signature {
  readonly text: string
  readonly html: string | null
}

// Usenet's line of two hyphens and a blank, which readers know (RFC 3676 4.3); some programs lose the blank.
const delimiter = /^-- ?\r?$/gm

/**
 * A text with its signature below, exactly once, also where the text has it already: an agent that reads a draft and
 * writes it back brings it along. Without a signature the text is as it was.
 * @param old signatures that may stand there from before, and go.
 */
export function sign(own: OwnText, signature: Signature | null, old: readonly Signature[] = []): OwnText {
  const bare = [...old, ...(signature === null ? [] : [signature])].reduce(unsign, own)
  if (signature === null || signature.text.trim() === '') return bare
  const text = bare.text.trimEnd()
  return {
    text: `${text}${text === '' ? '' : '\n\n'}-- \n${signature.text.trim()}`,
    html: bare.html === null ? null : appendHtml(bare.html, htmlOf(signature)),
  }
}

/** Takes that signature off the end of a text, and out of its HTML form as we write it. */
export function unsign(own: OwnText, signature: Signature): OwnText {
  const { text, html } = own
  return {
    text: text.slice(0, startOfSignature(text, signature)),
    html: html?.replace(htmlOf(signature), '') ?? null,
  }
}

function startOfSignature(text: string, signature: Signature): number {
  const wanted = lettersOf(signature.text)
  const trimmed = text.trimEnd()
  if (wanted === '') return text.length
  const marked = [...text.matchAll(delimiter)].at(-1)
  if (marked !== undefined) {
    const found = lettersOf(text.slice(marked.index + marked[0].length))
    const isSame = found !== '' && (found.startsWith(wanted) || wanted.startsWith(found))
    if (isSame) return marked.index
  }
  const own = signature.text.trim()
  const start = trimmed.length - own.length
  // Whole lines only: `Ann` at the end of a sentence is no signature.
  const isWhole = trimmed.endsWith(own) && (start === 0 || trimmed[start - 1] === '\n')
  return isWhole ? start : text.length
}

function htmlOf({ text, html }: Signature): string {
  return `<br><div class="moz-signature">${html ?? textToHtml(text.trim())}</div>`
}
