/**
 * The nouns of mail, and the port that every provider implements. No I/O.
 *
 * A message lies in a folder, carries flags, and is a tree of MIME parts. An adapter (`adapter.ts`) turns a
 * provider's answers into these nouns and nothing more; from there on no code knows the provider:
 *
 * 1. `header.ts` holds header fields as octets, `decode-header.ts` makes text of them (RFC 2047, RFC 2231).
 *    `parse-mime.ts` builds the same tree of a stored message that a server's description of it gives.
 * 2. `choose-body.ts` picks the parts a person would read, from the tree alone.
 * 3. `render-body.ts` decodes charsets and makes text of HTML, of long HTML in a thread of `parse-pool.ts`;
 *    `window.ts` cuts what does not fit, `fence.ts` says who wrote it.
 *    `extract-text.ts` does the same for attached files, PDF and Office documents in the threads of `document-pool.ts`.
 * 4. `untrusted.ts` is the only maker of `CleanText`: everything a stranger wrote goes through it once.
 *
 * Mail is attacker-written. Nothing here throws because of what a message contains: what cannot be read
 * becomes a warning on that message, with as much as could be read beside it.
 */
export * from './adapter.ts'
export * from './arrival.ts'
export * from './address.ts'
export * from './authenticity.ts'
export * from './base-subject.ts'
export * from './call.ts'
export * from './capabilities.ts'
export * from './charset.ts'
export * from './choose-body.ts'
export * from './composed-message.ts'
export { cutGraphemes } from './cut-graphemes.ts'
export * from './decode-header.ts'
export * from './default-search-folders.ts'
export * from './describe-part.ts'
export * from './draft-id.ts'
export { createDocumentPool, type DocumentPool } from './document-pool.ts'
export { documentKind, type DocumentKind } from './document-kind.ts'
export * from './draft.ts'
export * from './estimate-tokens.ts'
export * from './extract-text.ts'
export * from './fence.ts'
export * from './fold-text.ts'
export * from './folder-outcome.ts'
export * from './folder.ts'
export * from './header.ts'
export * from './identity.ts'
export * from './item-outcome.ts'
export * from './join-thread.ts'
export * from './links.ts'
export * from './mailbox-change.ts'
export * from './mark.ts'
export * from './match-message.ts'
export * from './message-fields.ts'
export * from './message-id.ts'
export * from './message.ts'
export * from './narrowing.ts'
export * from './page.ts'
export * from './parse-addresses.ts'
export * from './parse-date-header.ts'
export * from './parse-header-block.ts'
export * from './parse-mime.ts'
export * from './parse-pool.ts'
export * from './parse-query.ts'
export * from './parse-structured-header.ts'
export * from './parse-time.ts'
export * from './part.ts'
export { findQuotedHistory } from './quoted-history.ts'
export * from './raw-fields.ts'
export * from './render-body.ts'
export * from './render-html.ts'
export * from './render-snippet.ts'
export type { QueryNode } from './query-term.ts'
export * from './resolve-folder.ts'
export * from './resolve-places.ts'
export { maxLocatorBytes } from './sealed-ref.ts'
export * from './search-query.ts'
export * from './send-receipt.ts'
export * from './sender-signals.ts'
export * from './simplify-criterion.ts'
export * from './snippet.ts'
export * from './text.ts'
export * from './thread-id.ts'
export * from './thread-links.ts'
export * from './thread-member.ts'
export * from './thread.ts'
export type { ParseFailure, ThreadPoolOptions } from './thread-pool.ts'
export * from './transfer-encoding.ts'
export * from './untrusted.ts'
export * from './window.ts'
export * from './without-bcc.ts'
export * from './whereabouts.ts'
export * from './write-call.ts'
