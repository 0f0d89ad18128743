declare const raw: unique symbol
declare const clean: unique symbol

/** Decoded text that a stranger may have written. Only the sanitiser may turn it into `CleanText`. */
export type RawText = string & { readonly [raw]: true }

/** Text that passed the sanitiser (`untrusted.ts`), or that is our own. Output schemas accept only this. */
export type CleanText = string & { readonly [clean]: true }

/** Marks text as coming from a mailbox. Adapters and header decoding are the places that call it. */
export function rawText(text: string): RawText {
  return text as RawText
}
