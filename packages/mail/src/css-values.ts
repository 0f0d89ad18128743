import { wordSet } from './word-set.ts'

/** Red, green, blue 0-255, alpha 0-1; or a name this table does not know, which only equals itself. */
export type Colour = { readonly rgb: readonly [number, number, number]; readonly alpha: number } | string

const named: ReadonlyMap<string, number> = new Map([
  ['white', 0xffffff],
  ['snow', 0xfffafa],
  ['ivory', 0xfffff0],
  ['ghostwhite', 0xf8f8ff],
  ['floralwhite', 0xfffaf0],
  ['whitesmoke', 0xf5f5f5],
  ['azure', 0xf0ffff],
  ['mintcream', 0xf5fffa],
  ['aliceblue', 0xf0f8ff],
  ['seashell', 0xfff5ee],
  ['black', 0x000000],
  ['silver', 0xc0c0c0],
  ['gray', 0x808080],
  ['grey', 0x808080],
  ['red', 0xff0000],
  ['maroon', 0x800000],
  ['yellow', 0xffff00],
  ['olive', 0x808000],
  ['lime', 0x00ff00],
  ['green', 0x008000],
  ['aqua', 0x00ffff],
  ['teal', 0x008080],
  ['blue', 0x0000ff],
  ['navy', 0x000080],
  ['fuchsia', 0xff00ff],
  ['purple', 0x800080],
])

// No channel further apart than this: not to be told apart on a screen.
const nearness = 16

/** A colour value, or null for what is none (`inherit`, `var()`, gradients). */
export function parseColour(value: string): Colour | null {
  if (value === 'transparent') return { rgb: [0, 0, 0], alpha: 0 }
  const known = named.get(value)
  if (known !== undefined) return solid(known)
  const hex = /^#?([0-9a-f]{3,8})$/.exec(value)?.[1]
  if (hex !== undefined) return parseHex(hex)
  if (value.startsWith('rgb')) return parseRgb(value)
  if (value.startsWith('hsl')) return parseHsl(value)
  return /^[a-z]{3,24}$/.test(value) && !keywords.has(value) ? value : null
}

const keywords = wordSet('inherit initial unset revert currentcolor auto none windowtext')

/** True when text of one colour cannot be read on the other. */
export function isNear(one: Colour, other: Colour): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other
  return one.rgb.every((channel, index) => Math.abs(channel - (other.rgb[index] ?? 0)) <= nearness)
}

/** 0 for what cannot be seen at all. */
export function alphaOf(colour: Colour): number {
  return typeof colour === 'string' ? 1 : colour.alpha
}

function solid(number: number): Colour {
  return { rgb: [(number >> 16) & 255, (number >> 8) & 255, number & 255], alpha: 1 }
}

function parseHex(hex: string): Colour | null {
  if (hex.length === 5 || hex.length === 7) return null
  const digits = hex.length <= 4 ? hex.replace(/./g, '$&$&') : hex
  const alpha = digits.length === 8 ? Number.parseInt(digits.slice(6), 16) / 255 : 1
  const colour = solid(Number.parseInt(digits.slice(0, 6), 16))
  return typeof colour === 'string' ? colour : { ...colour, alpha }
}

function parseRgb(value: string): Colour | null {
  const [red, green, blue, alpha = 1] = numbersOf(value, 255)
  return red === undefined || green === undefined || blue === undefined
    ? null
    : { rgb: [red, green, blue], alpha }
}

/** Only what decides nearness to white and black is exact: lightness without saturation. */
function parseHsl(value: string): Colour | null {
  const [hue, saturation, lightness, alpha = 1] = numbersOf(value, 1)
  if (hue === undefined || saturation === undefined || lightness === undefined) return null
  const spread = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number): number => {
    const turn = (offset + hue / 30) % 12
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))))
  }
  return { rgb: [channel(0), channel(8), channel(4)], alpha }
}

/** The numbers of `rgb(...)`: a percentage is a share of `whole` for the channels, of 1 for the alpha. */
function numbersOf(value: string, whole: number): readonly number[] {
  const found = value.match(/[+-]?(?:\d+\.?\d*|\.\d+)%?/g) ?? []
  return found
    .slice(0, 4)
    .map((text, index) =>
      text.endsWith('%')
        ? (Number.parseFloat(text) / 100) * (index === 3 ? 1 : whole)
        : Number.parseFloat(text),
    )
}

// CSS Values 4, 6.2, at 96 dpi; the viewport units for a screen of ordinary size, which is near enough for "far away".
const pixels: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 37.8,
  mm: 3.78,
  rem: 16,
  vw: 12,
  vh: 8,
}

/**
 * A length in CSS pixels, or null for what is none. `em` and `%` are taken of `base` (the font size), so a percentage
 * only means something for `font-size` and where it is zero.
 */
export function parseLength(value: string, base: number): number | null {
  if (value === '') return null
  const match = /^([+-]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9}))(%|[a-z]{1,4})?$/.exec(value)
  if (match === null) return null
  const number = Number.parseFloat(match[1] ?? '')
  const unit = match[2] ?? 'px'
  if (unit === '%') return (number / 100) * base
  if (unit === 'em') return number * base
  if (unit === 'ex' || unit === 'ch') return (number * base) / 2
  const factor = Object.hasOwn(pixels, unit) ? pixels[unit] : undefined
  return factor === undefined ? null : number * factor
}
