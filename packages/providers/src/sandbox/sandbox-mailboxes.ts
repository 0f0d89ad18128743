import { createMemoryMailbox, type MemoryMailbox } from '../memory/index.ts'
import { createSandboxMailbox } from './create-sandbox-mailbox.ts'

export interface SandboxIdentity {
  readonly inboxId: string
  readonly ownerAddress: string
  /** When the inbox was connected. Its mail is dated from here, for good, so that message ids never change. */
  readonly startedAt: Date
}

export interface SandboxMailboxes {
  open(identity: SandboxIdentity): Promise<MemoryMailbox>
}

/**
 * The sandbox mailboxes of a process: made when first opened, the least recently opened dropped beyond
 * `capacity` (each takes about 3 MB). A dropped one comes back the same, but for what was changed in it.
 */
export function createSandboxMailboxes(capacity = 8): SandboxMailboxes {
  const open = new Map<string, Promise<MemoryMailbox>>()
  return {
    open: (identity) => {
      const key = `${identity.inboxId}:${identity.startedAt.getTime()}`
      const mailbox = open.get(key) ?? build(identity)
      open.delete(key)
      open.set(key, mailbox)
      for (const oldest of open.keys()) {
        if (open.size <= capacity) break
        open.delete(oldest)
      }
      return mailbox
    },
  }
}

async function build({ ownerAddress, startedAt }: SandboxIdentity): Promise<MemoryMailbox> {
  const messages = await createSandboxMailbox(ownerAddress, startedAt)
  const mailbox = createMemoryMailbox()
  const known = new Set(['INBOX'])
  for (const message of messages) {
    for (const path of missingLevels(message.folder, known)) {
      const isLeaf = path === message.folder
      const role = isLeaf && message.role !== null ? { role: message.role } : {}
      mailbox.addFolder({ path, isSelectable: isLeaf, ...role })
      known.add(path)
    }
    mailbox.append(message.folder, message)
  }
  return mailbox
}

/** The folder and its parents, outermost first, as far as they are not there yet. */
function missingLevels(folder: string, known: ReadonlySet<string>): readonly string[] {
  const levels = folder.split('/')
  return levels.map((_, index) => levels.slice(0, index + 1).join('/')).filter((path) => !known.has(path))
}
