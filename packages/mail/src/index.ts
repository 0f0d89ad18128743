/**
 * The nouns of mail, and the port that every provider implements. No I/O.
 *
 * A message lies in a folder, carries flags, and is a tree of MIME parts. An adapter (`adapter.ts`) turns a
 * provider's answers into these nouns and nothing more; from there on no code knows the provider:
 *
 * 1. `header.ts` holds header fields as octets, `decode-header.ts` makes text of them (RFC 2047, RFC 2231).
 * 2. `choose-body.ts` picks the parts a person would read, from the tree alone.
 * 3. `render-body.ts` decodes charsets, turns HTML into text and cuts a window.
 * 4. `untrusted.ts` is the only maker of `CleanText`: everything a stranger wrote goes through it once.
 *
 * Mail is attacker-written. Nothing here throws because of what a message contains: what cannot be read
 * becomes a warning on that message, with as much as could be read beside it.
 */
export * from './adapter.ts'
export * from './address.ts'
export * from './capabilities.ts'
export * from './folder.ts'
export * from './header.ts'
export * from './identity.ts'
export * from './mark.ts'
export * from './message-id.ts'
export * from './message.ts'
export * from './page.ts'
export * from './part.ts'
export * from './search-query.ts'
export * from './text.ts'
