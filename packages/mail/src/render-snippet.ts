import { runHtmlTask } from './html-task.ts'
import type { Snippet } from './snippet.ts'
import { stripTags } from './strip-tags.ts'
import { rawText, type CleanText } from './text.ts'
import { cleanLine } from './untrusted.ts'

/** Markup looked at for a snippet: the octets of a preview are few, a provider's text may not be. */
const maxMarkupChars = 4_096

/** First words as one clean line of at most `max` UTF-16 units. Of HTML only what would be seen, as in the body. */
export function renderSnippet({ kind, text }: Snippet, max: number): CleanText {
  if (kind === 'plain') return cleanLine(text, max)
  const html = text.slice(0, maxMarkupChars)
  return cleanLine(
    rawText(runHtmlTask({ html, links: 'none', wantsMarkup: false })?.text ?? stripTags(html)),
    max,
  )
}
