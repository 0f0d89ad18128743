import type { Capabilities } from '@postern/mail'

/** What every IMAP mailbox can do; whether its server makes an exception shows when a tool tries. */
export const imapCapabilities: Capabilities = {
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
