/** A parsed token of a server line: NIL, an atom, string or literal, or a list. Literals hold octets. */
export type Token = null | TokenValue | readonly Token[]

export interface TokenValue {
  readonly type: string
  readonly value: string | Uint8Array
  /** `BODY[...]`: what stands in the brackets. */
  readonly section?: readonly Token[]
  /** `<origin>` behind the brackets of an answer. */
  readonly partial?: readonly number[]
}

/** One untagged line. `number` is the leading one (`* 12 FETCH`), else null. */
export interface Line {
  /** Upper-case: FETCH, SEARCH, LIST. */
  readonly keyword: string
  readonly number: number | null
  readonly tokens: readonly Token[]
  /** The numbers of a SEARCH line, which is not tokenised; null on other lines. */
  readonly numbers: readonly number[] | null
}

/** The tagged answer to a command. NO and BAD are answers: the caller knows what they mean there. */
export interface Answer {
  readonly status: 'OK' | 'NO' | 'BAD'
  /** Upper-case response code (`BADCHARSET`, `TRYCREATE`), or null. */
  readonly code: string | null
  /** The response code with what stands behind it: `[COPYUID 7 1:2 8:9]`. */
  readonly section?: readonly Token[]
  /** The server's own words: for `internal` and for telling causes apart, never for an agent. */
  readonly text: string
  /** The untagged lines whose keyword was asked for with `collect`, in order. */
  readonly lines: readonly Line[]
  /** Lines that were no IMAP and were passed over: what they were to say is missing. */
  readonly unreadable: number
}

/** What stands behind the name of a command. Arrays are parenthesised lists. */
export type Argument = ArgumentValue | readonly Argument[]

export interface ArgumentValue {
  readonly type: 'ATOM' | 'STRING' | 'LITERAL' | 'SEQUENCE'
  readonly value: string | Buffer
  readonly section?: readonly Argument[]
  readonly partial?: readonly number[]
}

/** A keyword, flag or number. The compiler quotes whatever is not an atom. */
export function atom(value: string): ArgumentValue {
  return { type: 'ATOM', value }
}

/** A sequence set: `1:5,9` or `12:*`. Never an empty one. */
export function sequence(value: string): ArgumentValue {
  return { type: 'SEQUENCE', value }
}

/** Octets as they are; costs a round trip where the server has no LITERAL+. */
export function literal(octets: Uint8Array): ArgumentValue {
  return { type: 'LITERAL', value: Buffer.from(octets) }
}

/**
 * Text as a string argument: quoted where a quoted string can carry it, else a UTF-8 literal.
 * RFC 3501 4.3: a quoted string is 7-bit without CR, LF, NUL; RFC 6855 3: after ENABLE UTF8=ACCEPT it is UTF-8.
 */
export function text(value: string, isUtf8: boolean): ArgumentValue {
  const isQuotable = (isUtf8 ? /^[^\0\r\n]*$/ : /^[\x01-\x09\x0b\x0c\x0e-\x7f]*$/).test(value)
  return isQuotable ? { type: 'STRING', value } : literal(Buffer.from(value, 'utf8'))
}

/** `BODY.PEEK[section]<0.octets>`: reading that sets no flag. `section` is empty for the whole message. */
export function bodyPeek(
  section: readonly Argument[],
  range: readonly [number, number] | null,
): ArgumentValue {
  return { type: 'ATOM', value: 'BODY.PEEK', section, ...(range === null ? {} : { partial: range }) }
}

/** The text of a token, or null for NIL and lists. Octets of a literal are read as UTF-8. */
export function tokenText(token: Token | undefined): string | null {
  if (token === null || token === undefined || isList(token)) return null
  return typeof token.value === 'string' ? token.value : Buffer.from(token.value).toString('utf8')
}

/** The octets of a string or literal token, or null for NIL and lists. */
export function tokenOctets(token: Token | undefined): Uint8Array | null {
  if (token === null || token === undefined || isList(token)) return null
  return typeof token.value === 'string' ? Buffer.from(token.value, 'utf8') : token.value
}

/** True for a parenthesised list. */
export function isList(token: Token | undefined): token is readonly Token[] {
  return Array.isArray(token)
}

/** A number token within 0 and 2^32 - 1 (RFC 3501 `number`), or null. */
export function tokenNumber(token: Token | undefined): number | null {
  const digits = tokenText(token)
  if (digits === null || !/^\d{1,10}$/.test(digits)) return null
  const value = Number(digits)
  return value <= 0xffff_ffff ? value : null
}
