/**
 * What a text costs a model, roughly: ASCII characters / 4 + other UTF-16 units, rounded up. It errs upward for
 * emoji, which are two units.
 */
export function estimateTokens(text: string): number {
  let others = 0
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 0x7f) others++
  }
  return Math.ceil((text.length - others) / 4) + others
}
