import { crc32, deflateSync } from 'node:zlib'

/**
 * A small valid picture: a vertical gradient from one colour to black.
 * Source: PNG (third edition) 5, chunk layout, and 11.2, critical chunks.
 */
export function tinyPng(colour: readonly [number, number, number], width = 48, height = 32): Uint8Array {
  const rows = Array.from({ length: height }, (_, row) => {
    const shade = colour.map((channel) => Math.round(channel * (1 - row / height)))
    // Each row starts with its filter type, 0 for none.
    return Buffer.from([0, ...Array.from({ length: width }, () => shade).flat()])
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(typed.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(typed, 4)
  framed.writeUInt32BE(crc32(typed), typed.length + 4)
  return framed
}
