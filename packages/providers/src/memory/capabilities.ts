import type { Capabilities } from '@postern/mail'

/** What a mailbox in memory can do. */
export const memoryCapabilities: Capabilities = {
  labels: false,
  move: true,
  copy: true,
  push: false,
  permanentDelete: true,
  nativeThreads: false,
  rawQuery: false,
  savesSentCopy: false,
  matching: 'substring',
}
