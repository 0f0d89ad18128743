import { Fault } from '@postern/core'
import type { MailAdapter } from '@postern/mail'
import type { HealthReport } from './inbox-health.ts'

/** The same adapter; each verb's end is reported, its value and its fault pass through untouched. */
export function watchAdapter(mail: MailAdapter, report: HealthReport): MailAdapter {
  const watch = async <T>(work: Promise<T>): Promise<T> => {
    try {
      const value = await work
      report.answered()
      return value
    } catch (error) {
      if (error instanceof Fault) report.failed(error)
      throw error
    }
  }
  return {
    provider: mail.provider,
    capabilities: mail.capabilities,
    listFolders: (view, call) => watch(mail.listFolders(view, call)),
    listMessages: (folderId, options, page, call) => watch(mail.listMessages(folderId, options, page, call)),
    searchMessages: (query, page, call) => watch(mail.searchMessages(query, page, call)),
    countMessages: (query, call) => watch(mail.countMessages(query, call)),
    listArrivals: (query, call) => watch(mail.listArrivals(query, call)),
    // Not watched: what its looks meet, they report themselves.
    waitForChange: (folderIds, look, call) => mail.waitForChange(folderIds, look, call),
    getMessages: (refs, call) => watch(mail.getMessages(refs, call)),
    locateMessages: (refs, lookIn, call) => watch(mail.locateMessages(refs, lookIn, call)),
    listThread: (thread, call) => watch(mail.listThread(thread, call)),
    readParts: (ref, parts, call) => watch(mail.readParts(ref, parts, call)),
    openPart: (ref, part, call) => watch(mail.openPart(ref, part, call)),
    setMarks: (refs, change, call) => watch(mail.setMarks(refs, change, call)),
    moveMessages: (refs, to, call) => watch(mail.moveMessages(refs, to, call)),
    copyMessages: (refs, to, call) => watch(mail.copyMessages(refs, to, call)),
    listDrafts: (page, call) => watch(mail.listDrafts(page, call)),
    saveDraft: (message, replaces, call) => watch(mail.saveDraft(message, replaces, call)),
    discardDraft: (draft, call) => watch(mail.discardDraft(draft, call)),
    saveFolder: (change, call) => watch(mail.saveFolder(change, call)),
    sendMessage: (message, call) => watch(mail.sendMessage(message, call)),
    sendDraft: (draft, frozen, call) => watch(mail.sendDraft(draft, frozen, call)),
    trashMessages: (refs, call) => watch(mail.trashMessages(refs, call)),
    deleteMessages: (refs, call) => watch(mail.deleteMessages(refs, call)),
    deleteFolder: (removal, call) => watch(mail.deleteFolder(removal, call)),
    close: () => mail.close(),
  }
}
