/** The same octets as a Buffer, not copied: Buffer searches and slices natively where Uint8Array iterates. */
export function bufferOver(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength)
}
