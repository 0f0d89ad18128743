const loadingTags = 'img|image|picture|source|svg|video|audio|iframe|object|embed'
const activeSchemes = 'javascript|data|vbscript'

const imageMark = /!(?=\[)/g
// CommonMark 4.7: `[label]: target` defines a reference, at the beginning of a line of any nesting.
const definitionMark = /\](?=:)/g
// A destination that runs something, or that may spell such a scheme with entities or backslashes (CommonMark 6.3).
const activeTarget = new RegExp(
  String.raw`\](?=\([\s<]{0,8}(?:[^)\s:]{0,40}[&\\]|(?:${activeSchemes})\s{0,8}:))`,
  'gi',
)
const openingTag = new RegExp(String.raw`<(?=(?:${loadingTags})\b|(?:${activeSchemes}):)`, 'gi')
const fenceBracket = /[[\uff3b\u3010\u27e6](?=[ \t]{0,8}\/?[ \t]{0,8}untrusted)/gi

/**
 * Makes text inert for whoever renders it as Markdown later: a space parts image marks, reference definitions and
 * links to active schemes, so that nothing is fetched or run, and every word stays readable. Linear, idempotent.
 */
export function defuseMarkdown(text: string): string {
  return text.replace(imageMark, '! ').replace(definitionMark, '] ').replace(activeTarget, '] ')
}

/** Parts the opening of HTML tags that load something and of active autolinks. For plain text, never for markup. */
export function defuseTags(text: string): string {
  return text.replace(openingTag, '< ')
}

/** Turns the bracket of anything that looks like one of our fences into a parenthesis. The length stays. */
export function defuseFences(text: string): string {
  return text.replace(fenceBracket, '(')
}
