import { fence, windowText, type CleanText, type RenderedBody, type TextWindow } from '@postern/mail'
import { tokensOf } from '../../budget.ts'
import type { FullMessage } from './render-message.ts'

export interface WindowRequest {
  readonly offset: number
  readonly maxChars: number
  readonly htmlOffset: number
  /** Tokens of the body, and of the markup. */
  readonly maxTokens: number
}

type BodyFields = Pick<
  FullMessage,
  'body' | 'body_truncated' | 'body_offset' | 'body_total_chars' | 'body_next_offset'
>
type HtmlFields = Pick<FullMessage, 'body_html' | 'body_html_total_chars' | 'body_html_next_offset'>

/**
 * The asked-for stretch of the body inside its fence. Window fields stand only where there is more than is shown,
 * before it or after it.
 */
export function renderWindow(body: RenderedBody, request: WindowRequest, nonce: string): BodyFields {
  const window = fitWindow(body.text, request)
  const isWhole = window.offset === 0 && window.nextOffset === null
  return {
    body: fence(window.text, nonce),
    ...(isWhole
      ? {}
      : {
          body_truncated: window.nextOffset !== null,
          body_offset: window.offset,
          body_total_chars: window.totalChars,
          body_next_offset: window.nextOffset,
        }),
  }
}

/** The same for the markup, which has an offset of its own. */
export function renderHtmlWindow(body: RenderedBody, request: WindowRequest, nonce: string): HtmlFields {
  if (body.html === null) return { body_html: null }
  const window = fitWindow(body.html, { ...request, offset: request.htmlOffset })
  const isWhole = window.offset === 0 && window.nextOffset === null
  return {
    body_html: fence(window.text, nonce),
    ...(isWhole
      ? {}
      : { body_html_total_chars: window.totalChars, body_html_next_offset: window.nextOffset }),
  }
}

/**
 * A window that is also within its tokens: a character of most scripts costs four times an ASCII one, and quotes,
 * backslashes and line ends are two in JSON.
 */
export function fitWindow(
  text: CleanText,
  { offset, maxChars, maxTokens }: Omit<WindowRequest, 'htmlOffset'>,
): TextWindow {
  let window = windowText(text, offset, maxChars)
  for (let cost = tokensOf(window.text); cost > maxTokens; cost = tokensOf(window.text)) {
    const chars = Math.floor(window.text.length * Math.min(0.95, maxTokens / cost))
    if (chars < 1) break
    window = windowText(text, offset, chars)
  }
  return window
}
