/**
 * Who an owner is in touch with, derived from the headers of mail. Pure: no clock, no I/O; mailboxes and records are
 * ports. The way of a message: `HeaderEntry` of `@postern/mail` -> `Observation` (`sighting.ts`) -> rows of the store ->
 * `ContactCard` (`contact.ts`), computed for one caller from the inboxes that it reaches (`book.ts`).
 */
export * from './book.ts'
export * from './contact.ts'
export { emptyBook } from './empty-book.ts'
export * from './ingestion.ts'
export * from './sighting.ts'
