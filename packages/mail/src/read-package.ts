import { unzipSync, type UnzipFileInfo } from 'fflate'
import { readForeign } from './read-foreign.ts'

/** Octets that all wanted files of a package may have together, unpacked. */
const maxUnpacked = 64 * 1024 * 1024

export type PackageFiles = ReadonlyMap<string, Uint8Array>

/** Why a package was not unpacked. */
export type PackageProblem = 'encrypted' | 'damaged' | 'too_large'

/**
 * The files of a ZIP archive that are wanted. Room is made for what the directory announces and never for more, so
 * one that announces little and holds much is cut short; one that announces too much is refused.
 */
export async function readPackage(
  octets: Uint8Array,
  wants: (name: string) => boolean,
): Promise<PackageFiles | PackageProblem> {
  // [MS-OFFCRYPTO] 1.3.2: a document with a password is a compound file, with the package sealed inside.
  if (compoundFile.every((octet, index) => octets[index] === octet)) return 'encrypted'
  let left = maxUnpacked
  const filter = ({ name, originalSize, compression }: UnzipFileInfo): boolean => {
    if (left < 0 || !wants(name) || (compression !== 0 && compression !== 8)) return false
    left -= originalSize
    return left >= 0
  }
  return readForeign<PackageFiles | PackageProblem>(
    () => {
      const files = unzipSync(octets, { filter })
      return left < 0 ? 'too_large' : new Map(Object.entries(files))
    },
    () => 'damaged',
  )
}

const compoundFile = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
