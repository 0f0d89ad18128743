import { wordSet } from './word-set.ts'

/** `text` drops every joiner and selector without a use; `markup` keeps them, because entities may hide their neighbours. */
export type StripMode = 'text' | 'markup'

// Everything that takes no ink or moves other ink: C0 and C1 but tab and newline, default-ignorables (tags, zero-width,
// soft hyphen, fillers, selectors), bidi and other format controls, noncharacters. Not the few format characters that
// are written: signs that Arabic, Syriac and Kaithi set before numbers.
const ignorable = String.raw`\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cf}\p{Noncharacter_Code_Point}\p{Cc}`
const written = String.raw`\t\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}`
// Joiners, emoji selectors and Mongolian selectors: invisible too, but some writing needs them.
const shaping = String.raw`\u200c\u200d\ufe0e\ufe0f\u180b-\u180d\u180f`
const alwaysInvisible = new RegExp(`[[${ignorable}]--[${written}${shaping}]]+`, 'gv')
const anyShaping = new RegExp(`[${shaping}]`, 'v')

// Scripts whose spelling or shaping needs joiners: the cursive ones and the Brahmic ones.
const joiningScripts = wordSet(
  'Arabic Syriac Nko Mandaic Mongolian Phags_Pa Manichaean Adlam Hanifi_Rohingya',
  'Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala',
  'Khmer Myanmar Tibetan Balinese Javanese Newa Tirhuta Grantha',
)
const joiningClass = Array.from(joiningScripts, (script) => `\\p{Script_Extensions=${script}}`).join('')
const joiningLetter = String.raw`[[${joiningClass}]&&[\p{L}\p{M}]]`
// RFC 5892 A.2: a joiner may end a word after a virama (the older spelling of Malayalam chillus, Sinhala and others).
const virama = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]`
const pictograph = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}]`

const joinerRun = /(?<first>[\u200c\u200d])[\u200c\u200d]+/g
const strayJoiner = new RegExp(
  `[\\u200c\\u200d](?<!${joiningLetter}.(?=${joiningLetter}))(?<!${virama}\\u200d)(?<!${pictograph}\\ufe0f?\\u200d(?=${pictograph}))`,
  'gsv',
)
// A digit is an emoji only as the base of a keycap.
const straySelector = new RegExp(
  String.raw`[\ufe0e\ufe0f](?<![\p{Emoji}--[0-9#*]].)(?<![0-9#*].(?=\u20e3))|[\u180b-\u180d\u180f](?<![\p{Script=Mongolian}&&\p{L}].)`,
  'gsv',
)

/**
 * Removes what a reader cannot see and replaces lone surrogates by U+FFFD. Line ends become `\n` first (CRLF, CR,
 * U+2028, U+2029). Stays: ZWJ and ZWNJ between letters of scripts that need them and inside emoji, an emoji
 * selector behind an emoji, a Mongolian selector behind a Mongolian letter; of each only one in a row, so that
 * no run of them can carry a message. Linear, idempotent.
 */
export function stripInvisible(text: string, mode: StripMode = 'text'): string {
  const lines = text.toWellFormed().replace(/\r\n?|[\u2028\u2029]/g, '\n')
  const shaped = lines.replace(alwaysInvisible, '')
  if (mode === 'markup' || !anyShaping.test(shaped)) return shaped
  return shaped.replace(joinerRun, '$<first>').replace(straySelector, '').replace(strayJoiner, '')
}
