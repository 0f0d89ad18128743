import { Fault, quote } from '@postern/core'
import type { FolderId } from '@postern/mail'
import { folderChangeFaults } from '../folder-change-faults.ts'
import type { ListedFolder } from './folder-cache.ts'
import { decodeModifiedUtf7, encodeModifiedUtf7 } from './modified-utf7.ts'
import type { PersonalNamespace } from './personal-namespace.ts'

/** A place for a folder, named in levels; how it is spelled is up to the connection. */
export interface FolderPlace {
  /** What stands before the levels, as the server spells it and with its delimiter; empty at the top. */
  readonly base: FolderId
  readonly levels: readonly string[]
  readonly delimiter: string | null
  /** As the listing would show it, in one spelling (NFC). */
  readonly path: string
}

const inbox = 'INBOX'

/** A place of these levels in the folders of the user. @throws folder_name_reserved, as `placeBelow`. */
export function placeAtTop(namespace: PersonalNamespace, levels: readonly string[]): FolderPlace {
  const { prefix, delimiter } = namespace
  const [first = '', ...rest] = levels
  // RFC 3501 5.1: INBOX is one name in every case; folders below it have it in front already.
  if (first.toUpperCase() === inbox) {
    if (rest.length === 0) throw folderChangeFaults.nameReserved([inbox])
    return place({ base: '', path: '', delimiter }, [inbox, ...rest])
  }
  const above = delimiter === null ? [] : prefix.split(delimiter).filter((level) => level !== '')
  return place({ base: prefix, path: above.map(decodeModifiedUtf7).join('/'), delimiter }, levels)
}

/** @throws folder_provider_error (this folder can hold none), invalid_arguments (no name on this server). */
export function placeBelow(parent: ListedFolder, levels: readonly string[]): FolderPlace {
  const { folderId, path, delimiter } = parent
  if (delimiter === null) throw holdsNone()
  return place({ base: folderId + delimiter, path, delimiter }, levels)
}

/** A place below the parent that a folder has. @throws as `placeBelow`, and folder_name_reserved. */
export function placeBeside(
  { folderId, name, path, delimiter }: ListedFolder,
  levels: readonly string[],
): FolderPlace {
  const end = delimiter === null ? -1 : folderId.lastIndexOf(delimiter)
  if (delimiter === null || end === -1) return placeAtTop({ prefix: '', delimiter }, levels)
  const base = folderId.slice(0, end + delimiter.length)
  return place({ base, path: path.slice(0, Math.max(0, path.length - name.length - 1)), delimiter }, levels)
}

function place(
  { base, path, delimiter }: Pick<FolderPlace, 'base' | 'path' | 'delimiter'>,
  levels: readonly string[],
): FolderPlace {
  if (delimiter === null && levels.length > 1) throw holdsNone()
  const broken = levels.find((level) => delimiter !== null && level.includes(delimiter))
  if (broken !== undefined) {
    throw new Fault('invalid_arguments', {
      public: `${quote(broken)} cannot be the name of a folder: this mail server separates levels by ${quote(delimiter ?? '')}. For a folder below another write "/" between them. Nothing was changed.`,
    })
  }
  const whole = [...(path === '' ? [] : [path]), ...levels].join('/')
  return { base, levels, delimiter, path: whole.normalize('NFC') }
}

/** The id that the folder will have. RFC 3501 5.1.3; RFC 6855 3 after ENABLE UTF8=ACCEPT. */
export function spell({ base, levels, delimiter }: FolderPlace, isUtf8: boolean): FolderId {
  return base + levels.map((level) => (isUtf8 ? level : encodeModifiedUtf7(level))).join(delimiter ?? '')
}

/** The places above, without what stood there before the levels were named; outermost first. */
export function placesAbove({ levels, path, ...rest }: FolderPlace): readonly FolderPlace[] {
  const all = path.split('/')
  return levels.slice(1).map((_, index) => ({
    ...rest,
    levels: levels.slice(0, index + 1),
    path: all.slice(0, all.length - levels.length + index + 1).join('/'),
  }))
}

export function findByPath(listed: readonly ListedFolder[], { path }: FolderPlace): ListedFolder | undefined {
  return listed.find((folder) => folder.path.normalize('NFC') === path)
}

/** Whether a folder is that one or lies below it. */
export function isWithin({ folderId, delimiter }: ListedFolder, other: FolderId): boolean {
  return other === folderId || (delimiter !== null && other.startsWith(folderId + delimiter))
}

function holdsNone(): Fault {
  return new Fault('folder_provider_error', {
    public: 'On this mail server this folder cannot hold other folders. Nothing was changed.',
  })
}
