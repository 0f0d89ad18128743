import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeStream } from './decode-stream.ts'

async function decode(octets: Uint8Array, encoding: string, size: number): Promise<Buffer> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < octets.length; at += size) yield octets.subarray(at, at + size)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of decodeStream(pieces(), encoding)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const content = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7) % 256))

test('base64 comes out the same wherever the pieces were cut', async () => {
  const encoded = Buffer.from(content.toString('base64').replace(/(.{76})/g, '$1\r\n'))
  for (const size of [1, 2, 3, 5, 77, 78, 1_000, 100_000]) {
    assert.deepEqual(await decode(encoded, 'base64', size), content, `pieces of ${size}`)
  }
})

test('quoted-printable comes out the same wherever the pieces were cut', async () => {
  const text = 'Zeile mit =C3=BC und weichem =\r\nUmbruch  \r\n=3Dende=\r\n '.repeat(50)
  const whole = await decode(Buffer.from(text), 'quoted-printable', 100_000)
  assert.match(whole.toString(), /^Zeile mit \u00fc und weichem Umbruch\r\n=ende Zeile/)
  for (const size of [1, 2, 3, 7, 64]) {
    assert.deepEqual(await decode(Buffer.from(text), 'quoted-printable', size), whole, `pieces of ${size}`)
  }
})

test('other encodings pass as they are', async () => {
  for (const encoding of ['7bit', '8bit', 'binary', ''])
    assert.deepEqual(await decode(content, encoding, 999), content)
})

test('a line that never ends is not held for ever', async () => {
  const endless = Buffer.alloc(3 * 1024 * 1024, 'a')
  assert.equal((await decode(endless, 'quoted-printable', 65_536)).length, endless.length)
})
