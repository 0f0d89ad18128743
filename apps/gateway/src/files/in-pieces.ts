/** The same octets in pieces of `size`, the last one shorter; never an empty one. Holds one piece. */
export async function* inPieces(octets: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let length = 0
  for await (const chunk of octets) {
    let rest = chunk
    while (length + rest.length >= size) {
      const cut = size - length
      yield Buffer.concat([...held, rest.subarray(0, cut)])
      rest = rest.subarray(cut)
      held = []
      length = 0
    }
    if (rest.length > 0) held.push(rest)
    length += rest.length
  }
  if (length > 0) yield Buffer.concat(held)
}
