export type TransferEncoding = '7bit' | '8bit' | 'quoted-printable' | 'base64'

/** Content as it travels (RFC 2045 6). For `7bit` and `8bit` the octets are already what they claim to be. */
export function applyTransferEncoding(octets: Uint8Array, encoding: TransferEncoding): Uint8Array {
  switch (encoding) {
    case '7bit':
    case '8bit':
      return octets
    case 'base64':
      return Buffer.from(base64Lines(octets), 'latin1')
    case 'quoted-printable':
      return Buffer.from(quotedPrintable(octets), 'latin1')
  }
}

export function encodeBase64Word(charset: string, octets: Uint8Array): string {
  return `=?${charset.toUpperCase()}?B?${Buffer.from(octets).toString('base64')}?=`
}

export function encodeQWord(charset: string, octets: Uint8Array): string {
  const text = Array.from(octets, (octet) => {
    if (octet === 0x20) return '_'
    return /[A-Za-z0-9!*+/-]/.test(String.fromCharCode(octet)) ? String.fromCharCode(octet) : escape(octet)
  })
  return `=?${charset}?Q?${text.join('')}?=`
}

function base64Lines(octets: Uint8Array): string {
  const lines = Buffer.from(octets)
    .toString('base64')
    .match(/.{1,76}/g)
  return (lines ?? []).map((line) => `${line}\r\n`).join('')
}

/** RFC 2045 6.7: at most 76 characters a line, no white space before a line end. */
function quotedPrintable(octets: Uint8Array): string {
  const lines = Buffer.from(octets).toString('latin1').split('\r\n')
  return lines.map(quotedPrintableLine).join('\r\n')
}

function quotedPrintableLine(line: string): string {
  const broken: string[] = []
  let current = ''
  for (const [index, character] of Array.from(line).entries()) {
    const code = character.charCodeAt(0)
    const isLast = index === line.length - 1
    const isSafe = code >= 0x20 && code < 0x7f && character !== '=' && !(character === ' ' && isLast)
    const token = isSafe ? character : escape(code)
    if (current.length + token.length > 75) {
      broken.push(`${current}=`)
      current = ''
    }
    current += token
  }
  return [...broken, current].join('\r\n')
}

function escape(octet: number): string {
  return `=${octet.toString(16).toUpperCase().padStart(2, '0')}`
}
