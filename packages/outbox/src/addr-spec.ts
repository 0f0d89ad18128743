import { domainToASCII } from 'node:url'

declare const spec: unique symbol

/** One address as it goes on the wire: `local@domain`, the domain in ASCII. Only `parseAddrSpec` makes it. */
export type AddrSpec = string & { readonly [spec]: true }

// RFC 5321 4.5.3.1, in octets; a path of 256 has its brackets.
const maxLocalOctets = 64
const maxDomainOctets = 253
const maxOctets = 254

// RFC 5322 3.2.3 `atext`; RFC 6531 3.3 adds what is not ASCII, and no control, blank or invisible character is text.
const dotAtom =
  /^(?:[\w!#$%&'*+/=?^`{|}~-]|[^\0-\x7f\p{C}\p{Z}])+(?:\.(?:[\w!#$%&'*+/=?^`{|}~-]|[^\0-\x7f\p{C}\p{Z}])+)*$/u
// No escapes and no second at sign: whoever splits at another place than we do would deliver to another domain.
const quotedLocal = /^"([ !#-?A-Z[\]^-~]{1,64})"$/
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const wideLabel = /^[-\p{L}\p{N}\p{M}\u00b7\u200c-\u200d]{1,63}$/u

/**
 * A single addr-spec, strictly: no comments, no routes, no literal for a domain, nothing around it. Domains become
 * ASCII and lower-case; a quoted local part that needs no quotes loses them (RFC 5321 4.1.2 has both mean the same).
 * @returns null for anything else.
 * Source: RFC 5321 4.1.2, RFC 6531 3.3, UTS 46 for the domain.
 */
export function parseAddrSpec(text: string): AddrSpec | null {
  if (text.length > maxOctets) return null
  const at = text.lastIndexOf('@')
  if (at < 1 || !text.isWellFormed()) return null
  const local = parseLocal(text.slice(0, at))
  const domain = parseDomain(text.slice(at + 1))
  if (local === null || domain === null) return null
  const isLong =
    Buffer.byteLength(local) > maxLocalOctets || Buffer.byteLength(local) + domain.length >= maxOctets
  return isLong ? null : (`${local}@${domain}` as AddrSpec)
}

/** The domain, in ASCII and lower-case. */
export function domainOf(address: AddrSpec): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/**
 * What two spellings of one mailbox have in common. RFC 5321 2.4 lets a host tell capitals apart in the local part;
 * none that matters does, and who is named twice is meant once.
 */
export function addressKey(address: string): string {
  return address.toLowerCase()
}

/** Needs SMTPUTF8: the local part is not ASCII. */
export function isInternational(address: AddrSpec): boolean {
  return /[^\0-\x7f]/.test(address)
}

function parseLocal(text: string): string | null {
  if (dotAtom.test(text)) return text
  const inner = quotedLocal.exec(text)?.[1]
  if (inner === undefined) return null
  return dotAtom.test(inner) ? inner : text
}

function parseDomain(text: string): string | null {
  const labels = text.split('.')
  // Checked before the conversion: that one would undo percent signs and read numbers as an IP address.
  if (
    !labels.every((one) => label.test(one.toLowerCase()) || (/[^\0-\x7f]/.test(one) && wideLabel.test(one)))
  ) {
    return null
  }
  const ascii = domainToASCII(text)
  const isDomain =
    ascii !== '' && ascii.length <= maxDomainOctets && ascii.split('.').every((one) => label.test(one))
  return isDomain && !/(?:^|\.)(?:\d+|0x[\da-f]*)$/.test(ascii) ? ascii : null
}
