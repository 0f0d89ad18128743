import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawText } from './text.ts'
import { cleanBlock, cleanLine } from './untrusted.ts'

const alphabet = [
  ['a', 'B', '1', ' ', '\n', '\r', '\t', '!', '[', ']', '(', ')', ':', '<', '>', '/', '&', '\\', '.', '-'],
  ['img', 'data:', 'javascript:', 'untrusted', '[/untrusted ', '![', '](', ']:'],
  ['\u200b', '\u200c', '\u200d', '\u200e', '\u202e', '\u2066', '\u2069', '\u00ad', '\u034f', '\u2028'],
  ['\ufe0e', '\ufe0f', '\u{e0100}', '\u{e0041}', '\u180b', '\u180e', '\u3164', '\ufeff', '\ufffe'],
  ['\0', '\x1b', '\x85', '\ud83d', '\ude00', '\u{1f469}', '\u{1f3fd}', '\u2764', '\u20e3', '\u0301'],
  ['\u0645', '\u06cc', '\u0915', '\u094d', '\u0d4d', '\u182d', '\u4f1a', '\u0430', '\u0600'],
].flat()

// Joiners and selectors behind or between what they belong to; everything else of the kind is invisible.
const used = new RegExp(
  [
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=[\p{Extended_Pictographic}\p{Emoji_Modifier}])`,
    String.raw`(?<=[\p{scx=Arabic}\p{scx=Devanagari}\p{scx=Malayalam}\p{scx=Mongolian}])(?:\u200c|\u200d)`,
    String.raw`(?<=\p{Emoji})(?:\ufe0e|\ufe0f)`,
    String.raw`(?<=\u182d)\u180b`,
  ].join('|'),
  'gu',
)
const invisible =
  /[[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cc}]--[\t\n\u0600]]/v
const active =
  /!\[|\]:|<(?:img(?![\w\u2026])|javascript:|data:)|\]\([\s<]*(?:data|javascript):|\[[ \t]{0,8}\/?[ \t]{0,8}untrusted/i

/** mulberry32: the same strings in every run, so that a failure can be repeated. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

test('no string of dangerous characters leaves one invisible or active (checks 47, 49 and 50)', () => {
  const random = createRandom(20_261_102)
  for (let round = 0; round < 20_000; round++) {
    const raw = Array.from({ length: 1 + random(24) }, () => alphabet[random(alphabet.length)]).join('')
    const shown = JSON.stringify(raw)
    for (const clean of [cleanBlock(rawText(raw)), cleanLine(rawText(raw)), cleanLine(rawText(raw), 9)]) {
      assert.doesNotMatch(clean.replace(used, ''), invisible, shown)
      assert.doesNotMatch(clean, active, shown)
      assert.ok(clean.isWellFormed(), shown)
    }
    const once = cleanBlock(rawText(raw))
    assert.equal(cleanBlock(rawText(once)), once, `cleaning twice changes ${shown}`)
    assert.doesNotMatch(cleanLine(rawText(raw)), /[\n\t]/, shown)
  }
})
