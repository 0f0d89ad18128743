import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { bufferOver } from './buffer-over.ts'
import { decodeUtf7 } from './decode-utf7.ts'
import { rawText, type RawText } from './text.ts'

/** Text made of octets. `isGuessed`: the charset was not known, so that octets may stand as U+FFFD. */
export interface DecodedText {
  readonly text: RawText
  readonly isGuessed: boolean
}

type Decode = (octets: Uint8Array) => string

/**
 * Octets as text, by the charset label of a MIME parameter or encoded word. Never throws.
 *
 * No label, US-ASCII and the labels that say "unknown" mean ASCII; octets above it are taken as UTF-8 where
 * they are valid UTF-8 (RFC 6532), which other charsets practically never are by accident. Anything else, and every octet above ASCII under a label nobody knows, becomes U+FFFD with `isGuessed` set: a wrong
 * letter would look like a right one, a replacement character does not.
 */
export function decodeText(octets: Uint8Array, label: string | null): DecodedText {
  const key = label === null ? '' : keyOf(label)
  if (undeclared.has(key)) return decodeAsUtf8(octets) ?? replaceAll(octets)
  const decode = findDecoder(key)
  if (decode === null) return replaceAll(octets)
  // UTF-7 and UTF-16 can spell half a surrogate pair, which no later layer could encode.
  return { text: rawText(decode(octets).toWellFormed()), isGuessed: false }
}

/**
 * Octets of undeclared charset as UTF-8, or null when they are something else. Octets that end within a
 * character are merely cut; with a few invalid ones among many characters it is a guess.
 */
export function decodeAsUtf8(octets: Uint8Array): DecodedText | null {
  const text = rawText(utf8.decode(octets))
  if (isUtf8(octets)) return { text, isGuessed: false }
  let sound = 0
  let broken = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0xfffd) broken += 1
    else if (code > 0x7f) sound += 1
  }
  const isCut = broken === 1 && sound > 0 && text.endsWith('\ufffd')
  return isCut || sound > 4 * broken ? { text, isGuessed: !isCut } : null
}

/** True when `label` names a charset that says more than ASCII does and that `decodeText` knows. */
export function isKnownCharset(label: string): boolean {
  const key = keyOf(label)
  return !undeclared.has(key) && findDecoder(key) !== null
}

const utf8 = new TextDecoder('utf-8')

/** ASCII kept, every other octet one U+FFFD. */
function replaceAll(octets: Uint8Array): DecodedText {
  const latin1 = bufferOver(octets).toString('latin1')
  return { text: rawText(latin1.replace(/[\x80-\xff]/g, '\ufffd')), isGuessed: true }
}

/**
 * Labels compare without case and punctuation: `ISO_8859-2` is `iso88592`. Senders also quote them, and put
 * comments and further parameters behind them.
 */
function keyOf(label: string): string {
  const head = /^[\s"']*([^\s;"'(]*)/.exec(label)?.[1] ?? ''
  return head
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}

// RFC 1428 and RFC 1345 names for "not known", names for ASCII (IANA charset registry), and placeholders that
// senders leave behind. x-user-defined is WHATWG's private-use map, which no reader could read.
const undeclared: ReadonlySet<string> = new Set(
  words(`usascii ascii ansix341968 ansix341986 iso646irv1991 iso646us isoir6 us ibm367 cp367 csascii
    7bit 8bit binary unknown xunknown unknown8bit x8bit xuserdefined default defaultcharset none`),
).add('')

// Every name is a WHATWG label, so TextDecoder takes it: the ICU tables of Node are behind it. windows-1252 for
// latin1 is deliberate: octets 80 to 9f are typographic marks in every mail that has them, never controls.
const whatwg = words(`utf-8 utf-16le utf-16be windows-1252 macintosh x-mac-cyrillic windows-874 ibm866 koi8-r
  koi8-u gbk gb18030 big5 euc-jp iso-2022-jp shift_jis euc-kr iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5
  iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16
  windows-1250 windows-1251 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258`)

// In iconv-lite's tables and not in WHATWG's. A closed list: iconv-lite also takes `base64` and `hex` for charsets.
const iconvOnly = words(`utf-32 utf-32le utf-32be viscii tcvn koi8-t armscii8 georgianacademy georgianps
  pt154 rk1048 hproman8 maccenteuro maccroatian macgreek maciceland macromania macthai macturkish
  cp437 cp720 cp737 cp775 cp808 cp850 cp852 cp855 cp856 cp857 cp858 cp860 cp861 cp862 cp863 cp864 cp865
  cp869 cp922`)

// What senders write instead: vendors' names, code pages, revisions that differ in rare characters, slips.
const spellings: ReadonlyMap<string, string> = new Map([
  ['utf-8', 'uft8 utf unicode11utf8 utf8mb4 xutf8'],
  ['shift_jis', 'cp932 ms932 cp943 ibm943 windows31j cswindows31j sjis xsjis mskanji csshiftjis'],
  ['euc-jp', 'ujis xeuc xeucjp eucjpms eucjis2004 cp51932 cseucpkdfmtjapanese'],
  [
    'iso-2022-jp',
    'jis csiso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jp2004 iso2022jpms cp50220 cp50221',
  ],
  [
    'euc-kr',
    'cp949 ms949 uhc windows949 ksc5601 ksc56011987 ksc56011989 ksc56011992 csksc56011987 cseuckr korean',
  ],
  ['gbk', 'gb2312 gb231280 csgb2312 gb2312charset cp936 ms936 windows936 euccn xeuccn xgbk chinese isoir58'],
  ['big5', 'csbig5 cp950 ms950 windows950 big5hkscs big5eten xxbig5 xbig5 chinesebig5 cnbig5'],
  ['windows-1252', 'iso88591 iso885911987 latin1 l1 csisolatin1 isolatin1 isoir100 cp819 ibm819'],
  ['windows-1254', 'iso88599 iso885991989 latin5 l5 csisolatin5 isoir148'],
  ['windows-874', 'tis620 iso885911 cp874 ms874'],
  ['iso-8859-2', 'iso885921987 latin2 l2 csisolatin2 isoir101'],
  ['iso-8859-3', 'iso885931988 latin3 l3 csisolatin3 isoir109'],
  ['iso-8859-4', 'iso885941988 latin4 l4 csisolatin4 isoir110'],
  ['iso-8859-5', 'iso885951988 cyrillic csisolatincyrillic isoir144'],
  ['iso-8859-6', 'iso885961987 iso88596e iso88596i arabic csisolatinarabic isoir127 ecma114 asmo708'],
  ['iso-8859-7', 'iso885971987 greek greek8 csisolatingreek isoir126 ecma118 elot928'],
  ['iso-8859-8', 'iso885981988 iso88598e hebrew visual csisolatinhebrew isoir138'],
  ['iso-8859-8-i', 'logical csiso88598i'],
  ['iso-8859-10', 'latin6 l6 csisolatin6 isoir157'],
  ['iso-8859-15', 'latin9 l9 csisolatin9'],
  ['macintosh', 'mac xmacroman macroman xmac csmacintosh'],
  ['x-mac-cyrillic', 'maccyrillic xmacukrainian macukraine'],
  ['ibm866', 'cp866 csibm866'],
  ['koi8-r', 'koi8 koi cskoi8r'],
  ['koi8-u', 'koi8ru'],
  ['utf-7', 'unicode11utf7 csunicode11utf7 xunicode20utf7'],
  ['maccenteuro', 'xmacce macce maccentraleurope'],
])

function words(text: string): string[] {
  return text.split(/\s+/)
}

const decoders = buildDecoders()

function buildDecoders(): ReadonlyMap<string, () => Decode> {
  const table = new Map<string, () => Decode>()
  const add = (name: string, make: () => Decode): void => {
    const others = spellings.get(name)
    for (const key of [keyOf(name), ...(others === undefined ? [] : words(others))]) table.set(key, make)
  }
  for (const name of whatwg) add(name, () => textDecoder(name))
  for (const name of iconvOnly) add(name, () => iconvDecoder(name))
  add('utf-7', () => decodeUtf7)
  for (const key of ['utf16', 'unicode', 'ucs2', 'iso10646ucs2', 'csunicode'])
    table.set(key, () => decodeUtf16)
  return table
}

// A TextDecoder costs more to make than most headers cost to decode. Keyed by what the table holds, never by
// the label as sent: `u-t-f-8` has endless spellings, and a cache of them would be a stranger's to fill.
const made = new Map<() => Decode, Decode>()

function findDecoder(key: string): Decode | null {
  // cp1251, windows1251, win1251, x-cp1251, ms1251; ibm437 and 437 for cp437.
  const page = /^(?:x?cp|windows|win|ms|ibm|dos)?(\d{3,4})$/.exec(key)?.[1]
  const make = decoders.get(key) ?? (page && (decoders.get(`windows${page}`) ?? decoders.get(`cp${page}`)))
  if (!make) return null
  const decode = made.get(make) ?? make()
  made.set(make, decode)
  return decode
}

function textDecoder(name: string): Decode {
  const decoder = new TextDecoder(name)
  if (name === 'iso-2022-jp') return (octets) => decoder.decode(withoutIdleEscapes(octets))
  return (octets) => decoder.decode(octets)
}

/**
 * An escape sequence directly behind another makes WHATWG's decoder write U+FFFD, and stands wherever the
 * encoded words or lines of a sender are joined. The first of the two has no effect.
 */
function withoutIdleEscapes(octets: Uint8Array): Uint8Array {
  const text = bufferOver(octets).toString('latin1')
  return Buffer.from(text.replace(/\x1b(?:\$?\([A-Z]|\$[@-B])(?=\x1b[$(])/g, ''), 'latin1')
}

function iconvDecoder(name: string): Decode {
  if (!iconv.encodingExists(name)) throw new TypeError('The table names a charset that iconv-lite lacks.')
  return (octets) => iconv.decode(octets, name)
}

/** RFC 2781 4.3: the byte order mark decides, without one it is big-endian. */
function decodeUtf16(octets: Uint8Array): string {
  const isLittle = octets[0] === 0xff && octets[1] === 0xfe
  return (isLittle ? utf16le : utf16be).decode(octets)
}

const utf16le = new TextDecoder('utf-16le')
const utf16be = new TextDecoder('utf-16be')
